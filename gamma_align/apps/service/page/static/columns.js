// A table whose columns are not recognised: its first rows, a guess for each column, and two units as they would be read.

const $ = (selector) => document.querySelector(selector);
const HEAD_BYTES = 256 * 1024; // of a table: enough for its first rows
const MAX_JSON_BYTES = 50e6; // JSON is parsed as a whole
const SHOWN_ROWS = 4;
const LONG_TEXT = 120; // characters; longer values are texts of documents, not columns
const ROLES = { document: "document", annotator: "annotator", start: "start", end: "end", category: "label" };
const LIKELY = {
  annotator: /who|person|annot|coder|rater|user|worker|label+er|author|^by$/i,
  document: /doc|text|file|article|source|record|item|(^|_)id$/i,
  category: /what|kind|tag|label|type|class|categ|code/i,
};
const PLAIN = /[\W_]+/g;

const isNumber = (cell) => cell.trim() !== "" && Number.isFinite(Number(cell));

/** Return the rows of a text with delimiters, as RFC 4180 has them. */
const rowsOf = (text, delimiter) => {
  const rows = [];
  let [row, cell, quoted] = [[], "", false];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (quoted && character === '"' && text[at + 1] === '"') (cell += '"'), (at += 1);
    else if (character === '"' && (quoted || cell === "")) quoted = !quoted;
    else if (!quoted && character === delimiter) row.push(cell), (cell = "");
    else if (!quoted && (character === "\n" || character === "\r")) {
      if (character === "\r" && text[at + 1] === "\n") at += 1;
      rows.push([...row, cell]);
      [row, cell] = [[], ""];
    } else cell += character;
  }
  if (cell !== "" || row.length) rows.push([...row, cell]);
  return rows.filter((each) => each.length > 1 || each[0].trim() !== "");
};

const quote = (cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
const csvOf = (columns, rows) => [columns, ...rows].map((row) => row.map(quote).join(",")).join("\n");

const scalars = (record) =>
  Object.fromEntries(
    Object.entries(record)
      .filter(([, value]) => ["string", "number", "boolean"].includes(typeof value) && String(value).length <= LONG_TEXT)
      .map(([key, value]) => [key, String(value)])
  );

/** Return JSON records as rows: a record with a list of spans is a row for each span. */
const flatten = (records) => {
  const flat = records.flatMap((record) => {
    const own = scalars(record);
    const list = Object.entries(record).find(([, value]) => Array.isArray(value) && value.some((each) => each && typeof each === "object"));
    if (!list) return [own];
    const named = (span) => (Array.isArray(span) ? Object.fromEntries(span.map((value, index) => [`${list[0]} ${index + 1}`, value])) : (span ?? {}));
    return list[1].map((span) => ({ ...own, ...scalars(named(span)) }));
  });
  const columns = [...new Set(flat.flatMap(Object.keys))];
  return { columns, rows: flat.map((record) => columns.map((name) => record[name] ?? "")) };
};

const parseJson = (text) => {
  try {
    const whole = JSON.parse(text);
    if (Array.isArray(whole)) return whole;
    return Object.values(whole).find((value) => Array.isArray(value) && value[0] && typeof value[0] === "object" && !Array.isArray(value[0])) ?? [whole];
  } catch {
    return text.split("\n").filter((line) => line.trim()).map((line) => JSON.parse(line));
  }
};

/** Return the table in a file, or null if there is none: columns, first rows, and `file()`, which makes it a CSV file. */
export const tableOf = async (file) => {
  const head = await file.slice(0, HEAD_BYTES).text();
  if (head.includes("\0")) return null;
  const name = `${file.name.replace(/\.\w+$/, "")}.csv`;
  if (/^\s*[[{]/.test(head)) {
    if (file.size > MAX_JSON_BYTES) return null;
    try {
      const { columns, rows } = flatten(parseJson(await file.text()).filter((each) => each && typeof each === "object"));
      if (columns.length < 3 || !rows.length) return null;
      return { columns, rows, file: async () => new File([csvOf(columns, rows)], name) };
    } catch {
      return null;
    }
  }
  const complete = file.size > HEAD_BYTES ? head.slice(0, head.lastIndexOf("\n")) : head;
  const tables = [",", "\t", ";", "|"].map((delimiter) => ({ delimiter, rows: rowsOf(complete.replace(/^\uFEFF/, ""), delimiter) }));
  const [{ delimiter, rows }] = tables.sort((a, b) => (b.rows[0]?.length ?? 0) - (a.rows[0]?.length ?? 0));
  if (rows.length < 2 || rows[0].length < 3 || rows[1].length !== rows[0].length) return null;
  const hasHeader = !rows[0].some(isNumber);
  const columns = hasHeader ? rows[0].map((cell) => cell.trim()) : rows[0].map((_, index) => `column ${index + 1}`);
  const isRead = hasHeader && { ",": /\.csv$/i, "\t": /\.(tsv|tab)$/i }[delimiter]?.test(file.name);
  const converted = async () => {
    const all = rowsOf((await file.text()).replace(/^\uFEFF/, ""), delimiter);
    return new File([csvOf(columns, hasHeader ? all.slice(1) : all)], name);
  };
  return { columns, rows: hasHeader ? rows.slice(1) : rows, file: isRead ? async () => file : converted };
};

/** Return the column that each role most likely has. */
export const guess = ({ columns, rows }, usual) => {
  const found = {};
  const free = () => columns.map((_, index) => index).filter((index) => !Object.values(found).includes(index));
  const values = (index) => rows.map((row) => row[index] ?? "");
  const plain = (name) => name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase().replace(PLAIN, "_").replace(/^_|_$/g, "");
  for (const role of Object.keys(ROLES)) {
    const index = free().find((each) => usual[role].includes(plain(columns[each])));
    if (index !== undefined) found[role] = index;
  }
  const numeric = free().filter((index) => values(index).every(isNumber));
  const isOrdered = (low, high) => rows.every((row) => Number(row[low]) <= Number(row[high]));
  if (found.start === undefined && found.end === undefined) {
    const pairs = numeric.flatMap((low) => numeric.filter((high) => high > low && isOrdered(low, high)).map((high) => [low, high]));
    if (pairs.length) [found.start, found.end] = pairs[0];
  } else for (const role of ["start", "end"]) if (found[role] === undefined && numeric.length) found[role] = numeric[0];
  const texts = () => free().filter((index) => !values(index).every(isNumber));
  const distinct = (index) => new Set(values(index)).size;
  for (const [role, pattern] of Object.entries(LIKELY)) {
    if (found[role] !== undefined) continue;
    const index = texts().find((each) => pattern.test(columns[each]));
    if (index !== undefined) found[role] = index;
  }
  for (const role of ["annotator", "category"]) {
    const [first] = texts().filter((index) => distinct(index) > 1).sort((a, b) => distinct(a) - distinct(b));
    if (found[role] === undefined && first !== undefined) found[role] = first;
  }
  return found;
};

/** Ask which column is which; return a promise of the files and the settings to read them by, or null. */
export const askColumns = async (files, why) => {
  const table = await tableOf(files[0]);
  if (!table) return null;
  const dialog = $("#columns");
  const found = guess(table, JSON.parse(dialog.dataset.usual));
  const roleOf = (index) => Object.keys(found).find((role) => found[role] === index) ?? "";
  const cell = (kind, content) => {
    const made = document.createElement(kind);
    made.append(content);
    return made;
  };
  const selects = table.columns.map((name, index) => {
    const select = document.createElement("select");
    select.ariaLabel = `What ${name} is`;
    select.append(new Option("not read", ""), ...Object.entries(ROLES).map(([role, word]) => new Option(word, role)));
    select.value = roleOf(index);
    select.addEventListener("change", () => {
      // a role has one column
      for (const other of selects) if (other !== select && other.value === select.value) other.value = "";
      show();
    });
    return select;
  });
  const line = (kind, cells) => {
    const row = document.createElement("tr");
    row.append(...cells.map((content) => cell(kind, content)));
    return row;
  };
  const heads = line("th", table.columns);
  for (const head of heads.children) head.scope = "col";
  $("#columns thead").replaceChildren(line("td", selects), heads);
  $("#columns tbody").replaceChildren(...table.rows.slice(0, SHOWN_ROWS).map((row) => line("td", row)));
  $("#columns-why").textContent = why;
  const chosen = () => Object.fromEntries(selects.map((select, index) => [select.value, index]).filter(([role]) => role));
  const problem = (roles) => {
    for (const role of ["start", "end"]) {
      if (roles[role] === undefined) return `Choose the column of the ${role} of a unit.`;
      const wrong = table.rows.find((row) => !isNumber(row[roles[role]] ?? ""));
      if (wrong) return `“${wrong[roles[role]]}” in the column ${table.columns[roles[role]]} is not a number, so it is no ${role}.`;
    }
    if (roles.annotator === undefined && files.length < 2) {
      return "Choose the column that says who marked a unit. If each annotator has a file, open their files together.";
    }
    return "";
  };
  const sentence = (row, roles) => {
    const value = (role) => row[roles[role]];
    const who = roles.annotator === undefined ? files[0].name.replace(/\.\w+$/, "") : value("annotator");
    const label = roles.category === undefined ? "without a label" : `as ${value("category")}`;
    return `${who} marks ${value("start")} to ${value("end")} ${label}${roles.document === undefined ? "" : `, in ${value("document")}`}`;
  };
  const show = () => {
    const roles = chosen();
    const wrong = problem(roles);
    const items = wrong ? [wrong] : table.rows.slice(0, 2).map((row) => sentence(row, roles));
    $("#columns ul").replaceChildren(...items.map((text) => cell("li", text)));
    $("#columns-measure").disabled = Boolean(wrong);
  };
  show();
  dialog.returnValue = "";
  dialog.showModal();
  await new Promise((closed) => dialog.addEventListener("close", closed, { once: true }));
  if (dialog.returnValue !== "measure") return null;
  const roles = chosen();
  const column = Object.fromEntries(Object.entries(roles).map(([role, index]) => [role, table.columns[index]]));
  const reading = { column };
  if (roles.annotator === undefined) reading.annotators_from = "{file}";
  if (roles.document === undefined) reading.one_document = true;
  if (roles.category === undefined) reading.no_categories = true;
  const others = await Promise.all(files.slice(1).map(async (file) => (await tableOf(file))?.file() ?? file));
  return { files: [await table.file(), ...others], reading: JSON.stringify(reading) };
};
