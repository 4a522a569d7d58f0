// The page: what is open, what is shown of it, and the job that measures it. Drawings and values come from the service.

import * as address from "./address.js";
import { askColumns } from "./columns.js";
import { followProject } from "./followed.js";
import { droppedFiles, send, sizeOf } from "./files.js";
import { openKeys } from "./keys.js";
import { hush, say, tell, wordsOf } from "./messages.js";
import { Overview } from "./overview.js";
import { Reading } from "./reading.js";
import { Job, Lost, again, ask } from "./service.js";
import { Settings } from "./settings.js";

const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
const AFTER_CHANGE = 300;
const UNTIL_READING = 1000;
const UNTIL_DRAFT = 700;
const BETWEEN_GAPS = 1000;
const COPIED = 2000;
const NOT_MEASURED = "Not measured";
const CONTINUE = "Continue";
const FORMATS = "Open the files of an annotation tool, or a table with start, end, annotator and label of each unit";
const PLACE = { at: null, from: null, to: null };
const newPlace = { ...PLACE, document: null, cases: null, reading: null, hide: [], without: [], model: [] };

const settings = new Settings($("#settings"));
const job = new Job((kind, value) => listen(kind, value));
const state = address.read(location.search, settings.names);
let done = null; // the last job that came to its end, and its settings
let samples = [0, 0];
let asked = null; // the request for a document that is on its way
let waiting = null; // the timer until a change is measured
let shownAligned = null; // the settings by which the document that is shown is aligned
let isLost = false;
let refused = null; // files that could not be read
let opened = null; // the source whose parts are on the page, and how it is read
let sending = null; // the files that are on their way

// what is wrong

/** Say what an error is; what was shown stays. */
const fail = (error, options) => {
  if (error.name === "AbortError" || error.code === "cancelled") return;
  if (error instanceof Lost) {
    lose();
    return;
  }
  if (!error.code) throw error;
  const words = (each) => settings.inWords(wordsOf(each), each.actions);
  if (error.code === "usage" && settings.refuse(error)) {
    say(words(error));
    return;
  }
  const problems = error.problems?.length ? error.problems : [error];
  tell(problems.map(words), { more: (error.more ?? 0) + 1 - problems.length, actions: settings.settable(error.actions), change: (name, value) => settings.change(name, value), ...options });
};

/** Nobody answers: say so, and go on when somebody does. */
const lose = async () => {
  if (isLost) return;
  isLost = true;
  document.body.dataset.connection = "lost";
  const port = location.port ? ` --port ${location.port}` : "";
  tell([`gamma-align serve has stopped. Start it again: gamma-align serve${port}`], { focus: false });
  $("#message button").remove(); // it goes when the program is there again
  await again();
  isLost = false;
  delete document.body.dataset.connection;
  hush();
  if (state.example || state.data) await openSource();
};

// parts of the page from the service

const source = () => (state.example ? { example: state.example } : { data: state.data });

/** What is open, and how it is read, as a text. */
const sourceKey = () => JSON.stringify([source(), settings.reads(state.settings), state.reading]);

/** Return the settings by which columns are read, which the form does not have. */
const columnSettings = (reading = state.reading) => {
  try {
    return JSON.parse(reading ?? "{}");
  } catch {
    return {}; // an address that somebody has cut
  }
};
const askedSettings = (chosen) => ({ ...settings.asked(chosen), ...columnSettings() });

const query = (parts, more = {}) => {
  const found = new URLSearchParams({ ...source(), parts: parts.join(","), width: reading.width });
  found.set("settings", JSON.stringify(askedSettings(state.settings)));
  for (const name of ["document", "at", "from", "to"]) if (state[name] !== null) found.set(name, state[name]);
  for (const name of state.hide) found.append("hide", name);
  for (const name of state.without) found.append("without", name);
  for (const name of state.model) found.append("model", name);
  for (const [name, value] of Object.entries(more)) if (value) found.set(name, value);
  return found;
};
const parts = (names, more, options) => ask(`page/show?${query(names, more)}`, options);
const keepAddress = (how) => history[how](null, "", address.write(state));

const overview = new Overview({
  query: (more) => query([], { job: done?.id, ...more }),
  state,
  href: (place) => address.write({ ...state, cases: null, ...place }),
  keep: (key) => {
    state.cases = key;
    keepAddress("pushState");
  },
  words: (text) => settings.inPage(text),
  mayMove: () => $("#letters").checked,
  fail,
});

const reading = new Reading({
  load: (more) => parts(["view"], more),
  table: () => parts(["table"]),
  changed: (view, how) => {
    Object.assign(state, { at: view.at, from: view.from, to: view.to });
    keepAddress(how);
    if (view.speech) say(view.speech);
  },
  state,
  fail,
});

/** Put what is shown of a document in its place. */
const place = (answer) => {
  state.document = answer.document.name;
  $("#tools").innerHTML = answer.document.tools;
  showParts("document");
  reading.place(answer.document, answer.view);
  if (answer.results) placeResults(answer.results);
  document.title = `${state.document}: gamma_align`;
};

/** Show the parts of the page that belong to a document, or to the corpus. */
const showParts = (view) => {
  document.body.dataset.view = view;
  $("#overview").hidden = view !== "corpus";
  $("#annotations").hidden = view !== "document";
  $("#results").hidden = view !== "document" || !$("#results").innerHTML;
  $("#summary").hidden = view !== "document" || !$("#summary").textContent;
  $("#summary").href = address.write({ ...state, ...PLACE, document: null });
  const chosen = $("#document");
  if (chosen && chosen.value !== (state.document ?? "")) chosen.value = state.document ?? "";
};

/** Show the report of the corpus, or what is known until it is made. */
const showCorpus = async () => {
  asked?.abort();
  asked = null;
  $("#slow").hidden = true;
  showParts("corpus");
  document.title = `${corpusName()}: gamma_align`;
  if (done && settings.isSame(state.settings, done.settings)) await finish(done);
  else overview.follow();
};
const showPlace = () => (state.document === null ? showCorpus() : showDocument());

const placeResults = (results) => {
  $("#results").innerHTML = results.html;
  $("#results").hidden = state.document === null;
  if (!results.corpus) return;
  $("#summary").textContent = `${$("#summary").dataset.size}, ${results.corpus}`;
  $("#summary").hidden = state.document === null;
  for (const option of $$("#document option[data-name]")) {
    const value = results.labels[option.dataset.name];
    option.textContent = value ? `${option.dataset.name}, ${value}` : option.dataset.name;
  }
};

/** Show drafts of an alignment that takes time, and how near the best so far is to the best there is. */
const followDrafts = async (people, watch, mine) => {
  const words = `${people ? `${people} annotators: t` : "T"}he best alignment takes time`;
  for (let seen = 0; mine === asked; ) {
    const { gap, number, draft } = await ask(`page/gap?${new URLSearchParams({ watch, seen })}`, { signal: mine.signal }).catch(() => ({}));
    if (mine !== asked) return;
    if (draft) {
      const wanted = placeOf(state); // of the address: a draft has other alignments
      place(draft);
      Object.assign(state, wanted);
      seen = number;
      $("#annotations").dataset.draft = "";
    }
    const text = gap ? `${words}; the best so far has a gap of ${Number((100 * gap).toPrecision(2))}\u202f%` : `${words}; ${draft || seen ? "not aligned yet" : "nothing is drawn yet"}`;
    if ($("#slow").hidden) say(words);
    $("#slow").textContent = text;
    $("#slow").hidden = false;
    await new Promise((wake) => setTimeout(wake, BETWEEN_GAPS));
  }
};

/** The job of the values that are shown is gone, with the service that was stopped or for its age: measure again. */
const measureAgain = () => {
  done = null;
  return startJob();
};
const isJobGone = (error) => error.code === "not_found" && error.where?.field === "job";

const placeOf = ({ at, from, to }) => ({ at, from, to });

/** Show the document of the state: align it, draw it, and put its values beside it. */
const showDocument = async (withResults = true) => {
  asked?.abort();
  overview.stop();
  const mine = (asked = new AbortController());
  shownAligned = settings.aligned(state.settings);
  const names = ["document", "view", ...(withResults ? ["results"] : [])];
  $("#annotations").ariaBusy = "true";
  const option = $("#document")?.selectedOptions?.[0];
  const people = option?.dataset.annotators;
  const watch = Math.random().toString(36).slice(2);
  const slow = setTimeout(() => followDrafts(people, watch, mine), UNTIL_DRAFT);
  const before = placeOf(state);
  try {
    const answer = await parts(names, { job: done?.id, watch }, { signal: mine.signal });
    if (mine !== asked) return;
    const chosen = placeOf(state);
    // Places of a draft are of another alignment: they are not kept.
    const hasMoved = !("draft" in $("#annotations").dataset) && Object.keys(chosen).some((name) => chosen[name] !== before[name]);
    place(answer);
    if (hasMoved) {
      Object.assign(state, chosen);
      await reading.show();
    } else keepAddress("replaceState");
  } catch (error) {
    if (mine === asked && isJobGone(error)) {
      measureAgain();
      await showDocument(withResults);
    } else if (mine === asked) fail(error);
  } finally {
    clearTimeout(slow);
    if (mine === asked) {
      asked = null;
      $("#slow").hidden = true;
      delete $("#annotations").dataset.draft;
      $("#annotations").ariaBusy = "false";
    }
  }
};

// the job

const ofAbout = ([reached, total]) => `${reached.toLocaleString("en")} of ${reached < total ? "about " : ""}${total.toLocaleString("en")} samples`;
const progress = (reached, total) => {
  const bar = $("#running progress");
  $("#running").hidden = false;
  // A full bar says that nothing is left to do, which is true at the end alone.
  if (total && (reached < total || document.body.dataset.state === "done")) Object.assign(bar, { max: total, value: reached });
  else bar.removeAttribute("value");
};
/** Show the button that cancels, and the one that goes on, with the word on it. */
const buttons = ({ cancel = false, resume = "" }) => {
  const had = document.activeElement;
  $("#cancel").hidden = !cancel;
  $("#continue").hidden = !resume;
  $("#continue").textContent = resume;
  if (had === $("#cancel") && resume) $("#continue").focus();
  else if ((had === $("#cancel") && !cancel) || (had === $("#continue") && !resume)) $("#reading").focus();
};

const startJob = async () => {
  clearTimeout(waiting);
  waiting = null;
  const wanted = { ...state.settings };
  samples = [0, 0];
  progress(0, 0);
  $("#state").textContent = "Aligning";
  buttons({ cancel: true });
  document.body.dataset.state = done ? "changed" : "first";
  try {
    const begun = await job.start(source(), askedSettings(wanted), wanted);
    if (begun?.state === "queued") $("#state").textContent = "Waiting for another measurement to end";
  } catch (error) {
    notMeasured(error);
  }
};

const notMeasured = (error, how) => {
  $("#state").textContent = NOT_MEASURED;
  buttons({ resume: CONTINUE });
  fail(error, how);
};

/** A setting was changed: align and measure anew when no other change comes for a while. */
const changeSoon = () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    waiting = null;
    if (state.document !== null && settings.aligned(state.settings) !== shownAligned) showDocument(false);
    if (opened !== sourceKey()) return; // it is measured when it has been opened
    if (done && settings.isSame(state.settings, done.settings)) keepDone();
    else startJob();
  }, AFTER_CHANGE);
  document.body.dataset.state = done ? "changed" : "first";
};

/** The settings are those of the values shown, again: what was begun meanwhile is of no interest. */
const keepDone = () => {
  job.drop();
  finish(done);
};

/** Show the values of a job that came to its end: in its report, or beside the document. */
const finish = async (ended) => {
  done = ended;
  const isCorpus = state.document === null;
  const isCurrent = () => done === ended && waiting === null && !job.isRunning && isCorpus === (state.document === null);
  try {
    if (isCorpus && !overview.isMade(ended.id)) {
      progress(0, 0);
      $("#state").textContent = "Measured; looking for the causes of disagreement";
      buttons({ cancel: true });
      await overview.make(ended.id, corpusName());
      if (!isCurrent()) return;
    }
    const { results } = await parts(["results"], { job: ended.id });
    if (!isCurrent()) return;
    placeResults(results);
    settings.accept(done.settings);
    document.body.dataset.state = "done";
    progress(1, 1);
    buttons({});
    $("#state").textContent = results.ending;
    if (results.notes.length) $("#state").title = settings.inPage(results.notes.join("\n"));
    say(isCorpus ? `${results.corpus}, ${results.ending}` : `γ ${$("#results .v").textContent}, ${results.ending}`);
    savable();
    if (isCorpus) overview.follow();
  } catch (error) {
    if (done === ended && isJobGone(error)) measureAgain();
    else if (isCorpus && error.name === "AbortError" && isCurrent()) stopped("Cancelled; the report is not made");
    else {
      if (isCurrent()) stopped("The report is not made");
      fail(error);
    }
  }
};

const stopped = (words, resume = CONTINUE) => {
  $("#state").textContent = words;
  say(words);
  document.body.dataset.state = "cancelled";
  progress(0, 1);
  buttons({ resume });
};

const listen = (kind, value) => {
  if (kind === "progress") {
    samples = value.samples ?? samples;
    progress(...samples);
    $("#state").textContent = samples[0] < samples[1] ? ofAbout(samples) : `${samples[1].toLocaleString("en")} samples; computing the values`;
    say($("#state").textContent);
  } else if (kind === "partial") {
    placePartial(value);
  } else if (kind === "done") {
    finish({ id: job.id, settings: job.settings, source: sourceKey() });
  } else if (kind === "cancelled") {
    $("#state").textContent = `Cancelled after ${samples[0].toLocaleString("en")} samples`;
    say($("#state").textContent);
    document.body.dataset.state = "cancelled";
    buttons({ resume: CONTINUE });
  } else if (kind === "failed") {
    document.body.dataset.state = done ? "done" : "failed";
    notMeasured(value.error, { focus: false });
  } else if (kind === "lost") {
    followAgain();
  }
};

/** The events ended before the job did: the service is there and tells on, or it is not. */
const followAgain = async () => {
  try {
    await ask(`api/v1/jobs/${job.id}`);
    job.follow();
  } catch (error) {
    job.end();
    if (error instanceof Lost) lose();
    else if (isJobGone(error)) startJob();
    else notMeasured(error);
  }
};

const about = (value) => `≈ ${value.toFixed(2).replace("-", "\u2212")}`;

/** Values that are not precise yet: of the document that is shown, and of the corpus. */
const placePartial = ({ gamma, gamma_of_documents: each }) => {
  if (done) return;
  const own = each?.[state.document];
  const shown = $("#results .v"); // not there before the document is drawn
  if (own !== undefined && shown) shown.textContent = about(own);
  if (!gamma || gamma.value === null) return;
  $("#summary").textContent = `${$("#summary").dataset.size}, corpus γ ${about(gamma.value)}`;
  $("#summary").hidden = state.document === null;
  overview.soFar(about(gamma.value));
  say(`γ ${about(gamma.value)}, ${ofAbout(samples)}`);
};

const corpusName = () => ($("#corpus").selectedOptions[0]?.textContent ?? "").replace(/ \(example\)$|\.\w+$/, "");

const savable = () => {
  const more = query([], { job: done?.id });
  const name = corpusName();
  const links = { json: done && `api/v1/jobs/${done.id}/result`, csv: done && `page/save/csv?${more}` };
  Object.assign(links, { svg: state.document !== null && `page/save/svg?${more}`, report: `page/save/report?${more}` });
  for (const link of $$("[data-save]")) {
    const kind = link.dataset.save;
    if (links[kind]) link.href = links[kind];
    else link.removeAttribute("href");
    link.download = `${kind === "svg" ? state.document : name}.${kind === "report" ? "html" : kind}`;
  }
};

// what is open

const nameOf = (data) => {
  try {
    return localStorage.getItem(`data:${data}`);
  } catch {
    return null;
  }
};

/** Keep the name of files that were opened, for when they are gone. */
const keepName = (data, files) => {
  const [folder, inside] = (files[0].path || files[0].webkitRelativePath || "").split("/");
  const name = files.length === 1 ? files[0].name : inside ? folder : `${files.length} files`;
  try {
    localStorage.setItem(`data:${data}`, name);
  } catch {
    // a browser that keeps nothing
  }
};

const nameCorpus = (name) => {
  const select = $("#corpus");
  $$("option[data-own]", select).forEach((option) => option.remove());
  if (state.data) {
    const option = new Option(nameOf(state.data) ?? name ?? "your data", `data:${state.data}`);
    option.dataset.own = "";
    select.prepend(option);
  }
  select.value = state.example ? `example:${state.example}` : state.data ? `data:${state.data}` : "";
};

/** Show nothing but the ways to open something. */
const showEmpty = () => {
  job.drop();
  done = opened = null;
  for (const id of ["overview", "results", "running", "annotations", "summary", "document-choice", "link", "save"]) $(`#${id}`).hidden = true;
  $("#empty").hidden = false;
  document.body.dataset.state = "empty";
  document.title = "gamma_align";
  nameCorpus();
};

/** Open the source of the state. */
const openSource = async () => {
  job.drop();
  const mine = sourceKey();
  if (done?.source !== mine) done = null;
  let corpus;
  try {
    ({ corpus } = await parts(["corpus"]));
  } catch (error) {
    if (mine !== sourceKey()) return;
    const isGone = error.code === "not_found" && state.data && error.where?.field !== "document";
    if (error.code === "not_found" && error.where?.field === "document") {
      Object.assign(state, PLACE, { document: null });
      keepAddress("replaceState");
      await openSource();
      fail(error);
      return;
    }
    if (!(error instanceof Lost)) showEmpty();
    if (isGone) tell([`Open ${nameOf(state.data) ?? "the file"} again to see this. The settings of the link are kept.`]);
    else fail(error);
    return;
  }
  if (mine !== sourceKey()) return; // another was opened meanwhile
  hush();
  $("#empty").hidden = true;
  for (const id of ["document-choice", "link", "save"]) $(`#${id}`).hidden = false;
  $("#document-choice").innerHTML = corpus.html;
  Object.assign($("#summary").dataset, { size: corpus.size });
  $("#summary").textContent = "";
  nameCorpus(corpus.name);
  opened = mine;
  if (!done) {
    $("#results").innerHTML = "";
    overview.open(corpusName(), corpus.opening);
    if (corpus.job) done = { id: corpus.job, settings: { ...state.settings }, source: mine };
    else if (corpus.has_lost_result) stopped("The values are no longer kept", "Measure again");
    else startJob();
  }
  await showPlace();
  if (mine !== sourceKey()) return;
  if (corpus.job && done && state.document !== null) await finish(done);
  savable();
};

/** Go to another state, and do what differs. */
const go = async (next, how = "pushState") => {
  const before = { ...state };
  Object.assign(state, next);
  const differs = (...names) => names.some((name) => JSON.stringify(before[name]) !== JSON.stringify(state[name]));
  if (!differs(...Object.keys(state))) return;
  if (how) keepAddress(how);
  if (differs("settings")) settings.place(state.settings);
  if (refused && settings.reads(before.settings) !== settings.reads(state.settings)) {
    await openData(refused);
  } else if (!state.example && !state.data) {
    showEmpty();
  } else if (differs("example", "data", "reading") || settings.reads(before.settings) !== settings.reads(state.settings)) {
    await openSource();
  } else {
    if (differs("settings")) {
      settings.compare(state.settings, done?.settings ?? null);
      changeSoon();
    }
    if (differs("document") || (state.document === null && differs("model"))) await showPlace();
    else if (state.document === null) overview.follow();
    else if (differs("hide", "without")) await showDocument(false);
    else if (differs("at", "from", "to")) await reading.show();
    savable();
  }
};

/** Return message and cure of an error whose cure names the format, for which the page has no setting. */
const inWordsOfThePage = ({ code, message }) => {
  if (/^files of several formats/.test(message)) return { message, cure: "Open the files of one format at a time" };
  return { message: code === "unknown_format" ? "it has no annotations that are read" : message, cure: FORMATS };
};
const namesOf = (files) => (files.length > 3 ? `${files.length} files` : files.map(({ name }) => name).join(", "));

/** Ask which column is which, and open the files so; return null if that is not known. */
const openByColumns = async (files, why, proposals) => {
  const answer = await askColumns(files, why, proposals);
  if (answer) await openData(answer.files, answer.reading);
  return answer;
};

const openData = async (files, columns = null) => {
  if (!files.length) return;
  refused = null;
  sending?.abort();
  const controller = (sending = new AbortController());
  const box = $("#reading-file");
  const timer = setTimeout(() => {
    $("span", box).textContent = `Reading ${files.length > 1 ? `${files.length} files` : files[0].name}, ${sizeOf(files)}`;
    box.hidden = false;
    $("button", box).onclick = () => controller.abort();
  }, UNTIL_READING);
  hush();
  let about;
  try {
    const chosen = { ...JSON.parse(settings.reads(state.settings)), ...columnSettings(columns) };
    about = await send(files, JSON.stringify(chosen), controller.signal);
  } catch (error) {
    if (error.code) refused = files; // another setting may read them
    const { proposals } = error;
    const why = `${namesOf(files)}: ${proposals ? error.message : "not all of it is recognised"}. Say which column is which.`;
    const isOfItems = /^(items|counts|contingency)/.test(proposals?.[0]?.form); // the dialog has the roles of units
    if (!columns && error.asks === "columns" && !isOfItems && (await openByColumns(files, why, proposals))) return;
    fail(error.asks === "format" || error.code === "unknown_format" ? { ...error, ...inWordsOfThePage(error), where: { file: namesOf(files) } } : error);
    return;
  } finally {
    clearTimeout(timer);
    box.hidden = true;
  }
  if (!columns && about.annotators.length === 1) {
    const why = `Only one annotator is read: ${about.annotators[0]}. Agreement takes two and more.`;
    if (await openByColumns(files, why)) return;
  }
  keepName(about.data, files);
  const isSame = !$("#empty").hidden && state.data; // the data of a link, opened again
  await go({ example: null, data: about.data, ...(isSame ? {} : newPlace), reading: columns });
};

// what people do

const toDocument = (name, at = null) => go({ ...PLACE, cases: null, document: name || null, at });
const stepDocument = (by) => {
  const options = $$("#document option");
  const next = options[options.findIndex((option) => option.value === (state.document ?? "")) + by];
  if (next) toDocument(next.value);
};

document.addEventListener("click", (event) => {
  for (const panel of $$("details[open]:has(> .panel)")) if (!panel.contains(event.target)) panel.open = false;
  const target = event.target.closest("[data-example], [data-document], [data-at], #summary, #apply-models");
  if (!target || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const { example, document: name, at } = target.dataset;
  event.preventDefault();
  if (example) go({ ...newPlace, data: null, example });
  else if (name) toDocument(name, at ? Number(at) : null).then(() => scrollTo(0, 0));
  else if (at) reading.choose(Number(at));
  else if (target.id === "summary") toDocument(null);
  else go({ model: $$("[data-model]:checked").map((box) => box.dataset.model), cases: null });
});
$("#corpus").addEventListener("change", (event) => {
  const [kind, name] = event.target.value.split(/:(.*)/);
  go({ ...newPlace, data: null, example: null, [kind]: name });
});
$("#document-choice").addEventListener("change", (event) => toDocument(event.target.value));
$("#tools").addEventListener("change", () => {
  const hidden = (name) => $$(`[data-${name}]:not(:checked)`, $("#tools")).map((box) => box.dataset[name]);
  go({ hide: hidden("annotator"), without: hidden("label") });
});
settings.onChange((changed) => go({ settings: changed }));
$("#cancel").addEventListener("click", () => (job.isRunning ? job.cancel() : overview.stop()));
$("#continue").addEventListener("click", () => (done && settings.isSame(state.settings, done.settings) ? finish(done) : startJob()));
for (const id of ["open", "open-here"]) $(`#${id}`).addEventListener("click", () => $("#files").click());
$("#files").addEventListener("change", (event) => {
  openData([...event.target.files]);
  event.target.value = "";
});
$("#link").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(location.href);
    $("#link").textContent = "Copied";
  } catch {
    $("#link").textContent = "Copy the address";
  }
  say($("#link").textContent);
  setTimeout(() => ($("#link").textContent = "Link"), COPIED);
});
for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, async (event) => {
    event.preventDefault();
    if (kind === "dragover") document.body.dataset.drop = "over";
    else delete document.body.dataset.drop;
    if (kind === "drop") openData(await droppedFiles(event.dataTransfer));
  });
}
window.addEventListener("popstate", () => go(address.read(location.search, settings.names), null));
openKeys({ reading, stepDocument });
addEventListener("pagehide", () => job.cancel()); // nobody else knows of it
reading.onResize(() => state.document && showDocument(false));

settings.place(state.settings);
if (state.example || state.data) openSource();
else showEmpty();
followProject($("#followed"), {
  shown: () => state.example ?? state.data,
  open: (data) => go({ ...newPlace, example: null, data, reading: null }, "replaceState"),
  say,
});
