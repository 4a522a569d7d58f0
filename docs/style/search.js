// Sphinx finds pages that have all words of a query. A question in words has no such page: then pages follow that have
// some of its words, ranked as BM25 does. A word counts more if it is rare, or in a title, and if the page is short. A page
// is opened at the heading that says most of the query.

const LENGTH_PART = 0.75; // of the weight of a word that depends on the length of the page; usual in BM25
const TITLE = 3; // times that a word in a title counts
const MAX_PAGES = 30; // of those that have only some of the words
const QUESTION = 4; // words from which on a query is a question, in which not every word matters
const IS_PAGE_OF_MANY = /^(docs\/look_up\/python\/objects|docs\/look_up\/options|genindex)/;

const RARE = 1 / 4; // of the pages: a word that more of them have says little about a heading
const HEADING_WORDS = 2; // rare ones of the query, that a heading needs to be where a page is opened

const pagesOf = (files) => (files === undefined ? [] : [files].flat());

/** Return the number of different words of each page, by its place in the index. */
const lengths = ({ docnames, terms }) => {
  const counts = docnames.map(() => 0);
  for (const files of Object.values(terms)) for (const page of pagesOf(files)) counts[page] += 1;
  return counts;
};

/** Return the headings of each page below its title, with their anchors and words, by the place of the page in the index. */
const headingsOf = ({ docnames, alltitles }) => {
  const stemmer = new Stemmer();
  const headings = docnames.map(() => []);
  for (const [title, places] of Object.entries(alltitles)) {
    const words = new Set(splitQuery(title.toLowerCase()).map((word) => stemmer.stemWord(word)));
    for (const [page, anchor] of places) if (anchor) headings[page].push({ title, words, anchor });
  }
  return headings;
};

/** Return the heading that has the most, and the rarest, of the words, or undefined if none has enough. */
const bestHeading = (headings, rarities) => {
  const weigh = ({ words }) => [...rarities.keys()].filter((word) => words.has(word)).map((word) => rarities.get(word));
  const weighed = headings.map((heading) => [weigh(heading), heading]).filter(([found]) => found.length >= HEADING_WORDS);
  const sum = (found) => found.reduce((total, each) => total + each, 0);
  return weighed.sort((one, other) => sum(other[0]) - sum(one[0]))[0]?.[1];
};

/** Return pages that have some of the words, the best first, as results of Sphinx. */
const pagesWithSome = (words, index) => {
  const counts = lengths(index);
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  const score = counts.map(() => 0);
  const headings = headingsOf(index);
  const rarities = new Map();
  for (const word of words) {
    const inTitle = new Set(pagesOf(index.titleterms[word]));
    const pages = new Set([...pagesOf(index.terms[word]), ...inTitle]);
    const rarity = Math.log(1 + (counts.length - pages.size + 0.5) / (pages.size + 0.5));
    if (pages.size < RARE * counts.length) rarities.set(word, rarity);
    for (const page of pages) {
      const times = inTitle.has(page) ? TITLE : 1;
      score[page] += (rarity * times) / (1 - LENGTH_PART + (LENGTH_PART * counts[page]) / mean + times);
    }
  }
  return score
    .map((value, page) => [value, page])
    .filter(([value, page]) => value > 0 && !IS_PAGE_OF_MANY.test(index.docnames[page]))
    .sort((one, other) => other[0] - one[0])
    .slice(0, MAX_PAGES)
    .map(([value, page]) => {
      const heading = bestHeading(headings[page], rarities);
      const title = heading ? `${heading.title} (${index.titles[page]})` : index.titles[page];
      return [index.docnames[page], title, heading ? `#${heading.anchor}` : "", null, value, index.filenames[page], "text"];
    });
};

if (typeof Search !== "undefined") {
  const withAll = Search._performSearch;
  Search._performSearch = (query, words, excluded, ...others) => {
    const found = withAll(query, words, excluded, ...others);
    if (words.size < 2 || excluded.size) return found;
    const some = pagesWithSome(words, Search._index).reverse(); // the last is shown first
    if (words.size >= QUESTION) return some;
    const names = new Set(found.map((result) => result[0]));
    return [...some.filter((result) => !names.has(result[0])), ...found];
  };
}
