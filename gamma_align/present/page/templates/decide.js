// Decisions on findings and places of a report: whose reading holds. They are saved as a file, which `consensus` takes.

const OWN_KEYS = ["annotator", "start", "end", "category"];
// The facts of a finding. A file that was written by hand may leave out all but the first.
const FACTS = { kind: null, annotator: null, documents: [], stretch: null, labels: [], words: [], direction: "" };
const ordered = (value, keys) => Object.fromEntries(keys.map((key) => [key, value[key] ?? null]));
const subjectOf = ({ finding, document, units }) =>
  finding ? { finding: Object.fromEntries(Object.entries(FACTS).map(([key, absent]) => [key, finding[key] ?? absent])) } : { document, units: units.map((unit) => ordered(unit, OWN_KEYS)) };
const keyOf = (decision) => JSON.stringify(subjectOf(decision));
const unitText = ({ start, end, category }) => `${start}–${end} ${category ?? "no label"}`;

/** Return a reading in words. */
const readingText = (reading) => {
  if (!reading) return "noted";
  if ("annotator" in reading) return reading.annotator;
  if ("others" in reading) return `all but ${reading.others}`;
  return reading.unit ? unitText(reading.unit) : "no unit";
};

/** Return the decisions as CSV, a row each. */
const asCsv = (decisions) => {
  const cell = (value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  const rows = decisions.map(({ document, units, finding, reading, note }) => [
    document ?? "",
    units ? String(Math.min(...units.map((unit) => unit.start))) : "",
    units ? String(Math.max(...units.map((unit) => unit.end))) : "",
    finding ? [finding.kind, finding.annotator, finding.direction, ...finding.labels, ...finding.words].filter(Boolean).join(" ") : "",
    reading ? readingText(reading) : "",
    note ?? "",
  ]);
  return [["document", "start", "end", "finding", "reading", "note"], ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
};

const download = (name, type, content) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000); // some browsers read the link after the click
};

/** The decisions of one report, kept under its name as long as its tab is open. */
export class Decisions {
  #made = new Map();
  #root = null;
  #isSaved = true;
  #subject = null;
  #name;

  constructor(name) {
    this.#name = `decisions:${name}`;
    try {
      const { decisions, isSaved } = JSON.parse(sessionStorage.getItem(this.#name)) ?? { decisions: [], isSaved: true };
      this.#take(decisions);
      this.#isSaved = isSaved;
    } catch {
      // a browser that keeps nothing
    }
    window.addEventListener("beforeunload", (event) => {
      if (!this.#isSaved) event.preventDefault();
    });
  }

  /** Mark findings and cards in an element, now and when more cards appear; `decide` returns the decided corpus. */
  open(root, decide = null) {
    this.#root = root;
    const bar = root.querySelector(".decisions");
    if (!bar) return;
    bar.hidden = false;
    root.classList.add("can-decide");
    root.addEventListener("click", (event) => {
      const button = event.target.closest("button.decide");
      if (button) this.#ask(button.closest("[data-subject]"));
    });
    const [json, csv, file] = ["json", "csv", "file"].map((name) => bar.querySelector(`[data-decisions="${name}"]`));
    json.addEventListener("click", () => {
      download("decisions.json", "application/json", this.#asJson());
      this.#keep(true);
    });
    const button = bar.querySelector('[data-decisions="corpus"]');
    button?.addEventListener("click", () => this.#decide(button, bar.querySelector("select").value, decide));
    csv.addEventListener("click", () => download("decisions.csv", "text/csv", asCsv([...this.#made.values()])));
    bar.querySelector('[data-decisions="open"]').addEventListener("click", () => file.click());
    file.addEventListener("change", () => this.#read(file));
    const dialog = root.querySelector("dialog.decide");
    dialog.addEventListener("close", () => this.#answer(dialog));
    dialog.querySelector("select").addEventListener("change", () => this.#showFields(dialog));
    const [start, end] = ["start", "end"].map((name) => dialog.querySelector(`[name=${name}]`));
    start.addEventListener("input", () => (end.min = start.value));
    new MutationObserver(() => this.#mark()).observe(root, { childList: true, subtree: true });
    this.#mark();
  }

  /** Keep the decisions for when the page is loaded again. */
  #keep(isSaved) {
    this.#isSaved = isSaved;
    try {
      sessionStorage.setItem(this.#name, JSON.stringify({ decisions: [...this.#made.values()], isSaved }));
    } catch {
      // a browser that keeps nothing
    }
  }

  #asJson() {
    return JSON.stringify({ schema_version: 1, decisions: [...this.#made.values()] }, null, 1);
  }

  /** Download the decided corpus. */
  async #decide(button, format, decide) {
    button.disabled = true;
    this.#say("Making the decided corpus");
    const made = await decide(format, this.#asJson());
    if (made) download(made.name, "application/octet-stream", made.content);
    this.#say(made ? [`${made.name} is made`, ...made.notes].join("; ") : "");
    button.disabled = false;
  }

  #say(text) {
    this.#root.querySelector(".decisions [role=status]").textContent = text;
  }

  #take(decisions) {
    for (const decision of decisions) {
      const { reading = null, note = "" } = decision;
      this.#made.set(keyOf(decision), { ...subjectOf(decision), reading, note });
    }
  }

  async #read(file) {
    const [chosen] = file.files;
    if (!chosen) return;
    try {
      const { schema_version, decisions } = JSON.parse(await chosen.text());
      if (schema_version !== 1 || !Array.isArray(decisions)) throw new SyntaxError();
      this.#take(decisions);
      this.#keep(this.#isSaved);
      this.#mark();
    } catch {
      this.#say(`${chosen.name} is no file of decisions.`);
    }
    file.value = "";
  }

  /** Write the decision beside each finding and card that has one. */
  #mark() {
    for (const element of this.#root.querySelectorAll("[data-subject]")) {
      const decision = this.#made.get(keyOf(JSON.parse(element.dataset.subject)));
      const text = decision ? `decided: ${readingText(decision.reading)}${decision.note && ` (${decision.note})`}` : "";
      const mark = element.querySelector(".decided");
      if (mark.textContent !== text) mark.textContent = text; // otherwise the observer would call without end
    }
    const count = this.#made.size;
    const text = `${count || "No"} ${count === 1 ? "decision" : "decisions"}`;
    const shown = this.#root.querySelector(".decisions strong");
    if (shown.textContent !== text) shown.textContent = text;
    for (const button of this.#root.querySelectorAll("button[data-decisions=json], button[data-decisions=csv]")) button.disabled = !count;
  }

  #ask(element) {
    const subject = JSON.parse(element.dataset.subject);
    const readers = JSON.parse(element.dataset.readers);
    this.#subject = { element, subject };
    const dialog = this.#root.querySelector("dialog.decide");
    const select = dialog.querySelector("select");
    const choice = (reading, text) => new Option(text, JSON.stringify(reading));
    const unitOf = (name) => subject.units.filter((unit) => unit.annotator === name).map(unitText)[0] ?? "no unit";
    const choices = subject.finding
      ? readers.flatMap((name) => [choice({ annotator: name }, name), choice({ others: name }, `all but ${name}, by votes`)])
      : [...readers.map((name) => choice({ annotator: name }, `${name}: ${unitOf(name)}`)), choice({ unit: null }, "no unit")];
    const isPlace = !subject.finding;
    select.replaceChildren(choice(null, "nobody's: a note alone"), ...choices, ...(isPlace ? [new Option("a new unit", "new")] : []));
    const made = this.#made.get(keyOf(subject));
    const reading = made?.reading;
    select.value = reading?.unit ? "new" : JSON.stringify(reading ?? null);
    const unit = reading?.unit ?? (isPlace ? subject.units[0] : null);
    for (const name of ["start", "end", "category"]) dialog.querySelector(`[name=${name}]`).value = unit?.[name] ?? "";
    dialog.querySelector("[name=end]").min = unit?.start ?? "";
    dialog.querySelector("[name=note]").value = made?.note ?? "";
    const title = element.querySelector("h3").textContent;
    dialog.querySelector("h2").textContent = isPlace ? `${title}, ${subject.document}` : title;
    dialog.querySelector("[value=drop]").hidden = !made;
    dialog.returnValue = "";
    this.#showFields(dialog);
    dialog.showModal();
  }

  #showFields(dialog) {
    const isNew = dialog.querySelector("select").value === "new";
    const fields = dialog.querySelector("fieldset");
    fields.hidden = fields.disabled = !isNew;
  }

  #answer(dialog) {
    const { element, subject } = this.#subject;
    const key = keyOf(subject);
    if (dialog.returnValue === "drop") this.#made.delete(key);
    else if (dialog.returnValue === "decide") {
      const field = (name) => dialog.querySelector(`[name=${name}]`).value;
      const chosen = dialog.querySelector("select").value;
      const unit = () => ({ start: Number(field("start")), end: Number(field("end")), category: field("category") || null });
      const reading = chosen === "new" ? { unit: unit() } : JSON.parse(chosen);
      this.#made.set(key, { ...subjectOf(subject), reading, note: field("note").trim() });
    } else return;
    this.#keep(false);
    this.#mark();
    element.querySelector("button.decide").focus();
  }
}
