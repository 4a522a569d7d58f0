// What the report does beside being read: unfold rows, open the cards behind a count, sort, copy, move by keys.
// The file contains this script, and the page imports it.

const $ = (selector, within) => within.querySelector(selector);
const $$ = (selector, within) => [...within.querySelectorAll(selector)];
const AT_ONCE = 20; // cards

/** Return the source of cards in a file: its templates, and the lists of numbers. */
export const cardsInTemplates = () => {
  const lists = JSON.parse($("#lists", document).textContent);
  const readings = JSON.parse($("#readings", document)?.textContent ?? "null");
  const cardOf = (number) => $(`template[data-card="${number}"]`, document).content.cloneNode(true);
  return async (key, first, count) => {
    let list = lists[key];
    if (!list && key.startsWith("a-")) {
      const template = $$("template[data-card]", document).find((each) => $(".card", each.content).dataset.address === key);
      if (template) list = { title: "One disagreement", of: 1, cards: [Number(template.dataset.card)] };
    }
    if (!list && readings && key.startsWith("p-")) list = listOfPair(readings, key);
    if (!list) return null;
    return { title: list.title, of: list.of, available: list.cards.length, cards: list.cards.slice(first, first + count).map(cardOf) };
  };
};

/** Return the cases of two annotators: the cards in which their readings have other characters. */
const listOfPair = ({ annotators, differ, cards }, key) => {
  for (const [j, second] of annotators.entries()) {
    const i = annotators.slice(0, j).findIndex((first) => `p-${first}-${second}` === key);
    if (i < 0) continue;
    const differs = (row) => row[i] !== row[j] && row[i] !== " " && row[j] !== " ";
    const numbers = cards.filter(([, row]) => differs(row)).map(([number]) => number);
    return { title: `${annotators[i]} and ${second} differ`, of: differ[j][i], cards: numbers };
  }
  return null;
};

/** Return the address of a file: the key of the open list is its fragment. */
export const keepFragment = () => {
  const read = () => decodeURIComponent(location.hash.slice(1));
  return {
    read,
    write: (key) => {
      if (key !== read()) history.pushState(null, "", key ? `#${encodeURIComponent(key)}` : location.pathname + location.search);
    },
    onChange: (listen) => ["popstate", "hashchange"].forEach((kind) => window.addEventListener(kind, listen)),
  };
};

/**
 * Make a report in an element work.
 *
 * `load(key, first, count)` returns a promise of cards of a list, or of null if there is no such list; `address` keeps
 * the key of the open list: `read()`, `write(key)`, `onChange(listen)`. `mayMove()` tells whether letters move the focus.
 */
export const openReport = (root, load, address, { mayMove = () => true, fail = () => {} } = {}) => {
  // rows, kinds and documents that unfold: their content waits in the template beside them
  const unfold = (section) => {
    const template = $$("template", section).find((each) => !each.closest("details"));
    if (!template) return;
    const target = $(".folded:not(details .folded)", section);
    const rows = $("tbody", template.content);
    target.replaceChildren(...(rows ? rows.children : template.content.cloneNode(true).childNodes));
    template.remove();
    $(".more", section)?.remove();
  };
  const foldedPart = (element) => element.closest(".unfolding, section");
  for (const button of $$("[data-unfold]", root)) {
    button.hidden = false;
    button.addEventListener("click", () => unfold(foldedPart(button)));
  }
  for (const details of $$("details.whole", root)) {
    details.addEventListener("toggle", () => {
      const template = $("template", details);
      if (template) $(".folded", details).replaceChildren(template.content.cloneNode(true)), template.remove();
    });
  }

  // the cards behind a count
  const panel = document.createElement("div");
  panel.id = "cases";
  let opener = null;
  let shown = null; // the key of the open list
  const linkOf = (key) => $(`a[data-cases="${CSS.escape(key)}"]`, root);
  const close = () => {
    if (shown === null) return;
    shown = null;
    panel.remove();
    address.write(null);
    if (opener && opener.isConnected) opener.focus();
  };
  const append = (key, list, first) => {
    panel.append(...list.cards);
    const next = first + list.cards.length;
    if (next >= list.available) return;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = `${Math.min(AT_ONCE, list.available - next)} more`;
    button.addEventListener("click", async () => {
      const more = await load(key, next, AT_ONCE).catch(fail);
      if (!more || shown !== key) return;
      button.remove();
      append(key, more, next);
      focusCard($$(".card", panel)[next]);
    });
    panel.append(button);
  };
  const titleOf = (list) => {
    const title = document.createElement("h3");
    title.tabIndex = -1;
    title.dir = "auto";
    const all = list.of.toLocaleString("en");
    const size = list.of === list.available ? all : `${list.available} of ${all}, the worst`;
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Close" });
    button.addEventListener("click", close);
    title.append(`${size} ${list.of === 1 ? "case" : "cases"}: ${list.title}`, button);
    return title;
  };
  const open = async (key, link) => {
    shown = key;
    const list = await load(key, 0, AT_ONCE).catch(fail);
    if (shown !== key) return;
    if (!list) {
      shown = null;
      return;
    }
    opener = link;
    panel.replaceChildren(titleOf(list));
    append(key, list, 0);
    const place = link && (link.closest(".wide, .finding, .card") ?? link.closest("section"));
    if (place) place.after(panel);
    else $("#cards h2", root)?.after(panel);
    panel.firstElementChild.focus();
    panel.scrollIntoView({ block: "nearest" });
  };
  /** Show the list of the address, or none. */
  const follow = () => {
    const key = address.read();
    if (key === shown) return;
    shown = null;
    panel.remove();
    if (!key || (!linkOf(key) && document.getElementById(key))) return; // nothing, or a section
    if (!linkOf(key)) $$("[data-unfold]", root).forEach((button) => unfold(foldedPart(button)));
    open(key, linkOf(key));
  };
  root.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-cases]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    address.write(link.dataset.cases);
    open(link.dataset.cases, link);
  });
  address.onChange(follow);

  // keys: j and k go from card to card, w to the worst, Escape closes
  const focusCard = (card) => {
    if (!card) return;
    card.tabIndex = -1;
    card.focus();
    card.scrollIntoView({ block: "nearest" });
  };
  document.addEventListener("keydown", (event) => {
    if (!root.isConnected || !root.offsetParent) return; // another part of the page is shown
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
    if (event.key === "Escape") close();
    if (!mayMove()) return;
    if (event.key === "w") focusCard($(".card", panel.isConnected ? panel : root));
    if (event.key !== "j" && event.key !== "k") return;
    const cards = $$(".card", panel.isConnected ? panel : root);
    const at = cards.indexOf(document.activeElement.closest(".card"));
    focusCard(cards[event.key === "j" ? Math.min(at + 1, cards.length - 1) : Math.max(at - 1, 0)]);
  });

  // tables that sort
  const cellValue = (row, index, kind) => {
    const cell = row.children[index];
    if (kind === "text") return cell.textContent.trim();
    const number = parseFloat((cell.dataset.value || cell.textContent).replace(/[,\s]/g, "").replace("\u2212", "-"));
    return Number.isNaN(number) ? null : number;
  };
  for (const words of $$(".sorting", root)) words.hidden = false;
  for (const head of $$("table.sortable th[data-sort]", root)) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      unfold(foldedPart(head));
      const table = head.closest("table");
      const index = [...head.parentNode.children].indexOf(head);
      const first = head.dataset.sort === "text" ? "ascending" : (head.dataset.first ?? "descending");
      const now = head.getAttribute("aria-sort");
      const order = now ? (now === "ascending" ? "descending" : "ascending") : first;
      $$("th[aria-sort]", table).forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", order);
      const sign = order === "ascending" ? 1 : -1;
      const rows = $$("tbody tr", table).map((row) => [cellValue(row, index, head.dataset.sort), row]);
      // what has no value is last in either order
      rows.sort(([a], [b]) => (a === null) - (b === null) || sign * (typeof a === "string" ? a.localeCompare(b, undefined, { numeric: true }) : a - b));
      $("tbody", table).append(...rows.map(([, row]) => row));
    });
  }

  // the map of pairs: one cell is in the order of Tab, arrows move from it, and a line tells what a cell stands for
  for (const map of $$("table.heat", root)) {
    const line = map.closest(".wide").nextElementSibling;
    const rows = $$("tbody tr", map).map((row) => $$("[data-pair]", row));
    const names = $$("tbody th", map).map((head) => head.title);
    const cells = rows.flat();
    const describe = (cell) => {
      const i = rows.findIndex((row) => row.includes(cell));
      const [documents, places, differ] = cell.dataset.pair.split(" ").map(Number);
      const together = `${documents} common ${documents === 1 ? "document" : "documents"}`;
      const counts = `mean disorder ${(Number(cell.textContent) / 100).toFixed(2)}; they differ in ${differ} of ${places} places, ${together}.`;
      line.textContent = `${names[rows[i].indexOf(cell)]} and ${names[i]}: ${places ? counts : documents ? `no unit in ${together}.` : "no common document."}`;
    };
    const select = (cell) => {
      for (const each of cells) each.tabIndex = each === cell ? 0 : -1;
      describe(cell);
    };
    if (!cells.length) continue;
    line.hidden = false;
    select(cells[0]);
    line.textContent = "Point at a cell, or move through the cells with the arrow keys; Enter lists the places.";
    map.addEventListener("focusin", (event) => cells.includes(event.target) && select(event.target));
    map.addEventListener("pointerover", (event) => {
      const cell = event.target.closest("[data-pair]");
      if (cell) describe(cell);
    });
    map.addEventListener("keydown", (event) => {
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      const i = rows.findIndex((row) => row.includes(event.target));
      if (!step || i < 0) return;
      const next = rows[i + step[0]]?.[rows[i].indexOf(event.target) + step[1]];
      event.preventDefault();
      next?.focus();
    });
  }

  // what can be copied
  for (const button of $$("[data-copy]", root)) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const source = $(`#${button.dataset.copy}`, root);
      try {
        await navigator.clipboard.writeText(source.textContent);
        $("#copied", root).textContent = "Copied.";
      } catch {
        source.closest("details")?.setAttribute("open", "");
        getSelection().selectAllChildren(source);
        $("#copied", root).textContent = "Selected: copy it with Ctrl-C.";
      }
    });
  }

  follow();
};
