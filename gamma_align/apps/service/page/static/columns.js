// A table whose columns are not recognised: its first rows, a guess for each column, and two units as they would be read.

import { ROLES, boundsOf, converted, isNumber, isReadAsIs, numberOf, tableOf } from "./table.js";

const $ = (selector) => document.querySelector(selector);
const SHOWN_ROWS = 4;
// Words in names of columns in English, French, German, Spanish, Chinese and Russian, beside the names that are read.
const LIKELY = {
  start: /^(d[eé]but|von|anfang|beginn|inicio|desde|first|开始|起始|開始|начало)/iu,
  end: /^(fin|bis|ende|hasta|last|结束|終了|結束|终止|конец)/iu,
  annotator: /who|person|annot|anot|cod(er|eur|ifi)|kodier|rater|user|worker|label+er|author|^by$|标注者|标注人|標註者|作者|аннотатор|разметчик/iu,
  document: /doc|text|file|fichier|datei|archivo|article|source|record|item|(^|_)id$|文档|文件|文本|文章|文書|текст|файл|документ/iu,
  category: /what|kind|tag|label|type|class|klasse|cat[eé]g|kateg|code|[eé]tiq|标签|標籤|类别|類別|类型|метка|тип|класс/iu,
};
const LENGTH = /^(len|length|duration|dur|longueur|dur[eé]e|länge|dauer|longitud|duraci[oó]n|长度|时长|длина)([_ ]|$)/iu;
const PLAIN = /[^\p{L}\p{N}]+/gu;

/** Return the column that each role most likely has. */
const guess = ({ columns, rows }, usual, isOneFile) => {
  const found = {};
  const values = (index) => rows.map((row) => row[index] ?? "");
  const isNumeric = (index) => values(index).every(isNumber);
  const distinct = (index) => new Set(values(index)).size;
  const free = (isLikely = () => true) => columns.map((_, index) => index).filter((index) => !Object.values(found).includes(index) && isLikely(index));
  const take = (role, index) => {
    if (found[role] === undefined && index !== undefined) found[role] = index;
  };
  const plain = (name) => name.normalize("NFC").replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase().replace(PLAIN, "_").replace(/^_|_$/g, "");
  const isLikely = (role) => (index) => LIKELY[role].test(columns[index].normalize("NFC").trim());
  for (const role of Object.keys(usual)) take(role, free((index) => usual[role].includes(plain(columns[index])))[0]);
  if (found.start === undefined || found.end === undefined) take("length", free((index) => LENGTH.test(plain(columns[index])) && isNumeric(index))[0]);
  if (found.length !== undefined) {
    take("start", found.end); // “offset”, which may be the end beside an onset
    delete found.end;
  }
  const bounds = found.length === undefined ? ["start", "end"] : ["start"];
  for (const role of bounds) take(role, free((index) => isLikely(role)(index) && isNumeric(index))[0]);
  const isOrdered = (low, high) => rows.every((row) => numberOf(row[low] ?? "") <= numberOf(row[high] ?? ""));
  const numeric = free(isNumeric);
  const pairs = numeric.flatMap((low) => numeric.filter((high) => high > low && isOrdered(low, high)).map((high) => [low, high]));
  if (bounds.length === 2 && found.start === undefined && found.end === undefined && pairs.length) [found.start, found.end] = pairs[0];
  else for (const role of bounds) take(role, free(isNumeric)[0]);
  // A number for each row is no name of a document, which has several units.
  const isName = (role) => (index) => role !== "document" || !isNumeric(index) || distinct(index) < rows.length;
  for (const role of ["annotator", "document", "category"]) take(role, free((index) => isLikely(role)(index) && isName(role)(index))[0]);
  // If nothing has a known name, the last is most often the label, and there are fewer annotators than documents.
  const texts = () => free((index) => !isNumeric(index));
  take("category", texts().at(-1));
  if (isOneFile) take("annotator", texts().reverse().sort((a, b) => distinct(a) - distinct(b))[0]);
  take("document", texts()[0]);
  return found;
};

/** Return what is assumed about the cells of a table, with an example each. */
const assumptions = ({ encoding, rows }, roles) => {
  const cells = ["start", "end", "length"].filter((role) => roles[role] !== undefined).flatMap((role) => rows.map((row) => row[roles[role]] ?? ""));
  const time = cells.find((cell) => cell.includes(":") && isNumber(cell));
  const comma = cells.find((cell) => cell.includes(",") && !cell.includes(":") && isNumber(cell));
  return [
    encoding && `The file is read as ${encoding}.`,
    time && `Times are read as seconds: “${time.trim()}” is ${numberOf(time)}.`,
    comma && `A comma in a number is read as a decimal point: “${comma.trim()}” is ${numberOf(comma)}.`,
  ].filter(Boolean);
};

/** Return why the columns of a table cannot be read so, or an empty text. */
const problemOf = ({ columns, rows }, roles, isOneFile) => {
  if (roles.start === undefined) return "Choose the column of the start of a unit.";
  if (roles.end === undefined && roles.length === undefined) return "Choose the column of the end of a unit, or of its length.";
  if (roles.end !== undefined && roles.length !== undefined) return "Choose the end of a unit or its length, not both.";
  for (const role of ["start", "end", "length"].filter((each) => roles[each] !== undefined)) {
    const wrong = rows.find((row) => !isNumber(row[roles[role]] ?? ""));
    if (wrong) return `“${wrong[roles[role]] ?? ""}” in the column ${columns[roles[role]]} is not a number, so it is no ${role}.`;
  }
  const [start, end] = rows.map((row) => boundsOf(row, roles)).find((bounds) => bounds[1] < bounds[0]) ?? [];
  if (start !== undefined) return `A unit would end at ${end}, before its start at ${start}. Choose other columns.`;
  if (roles.annotator === undefined && isOneFile) {
    return "Choose the column that says who marked a unit. If each annotator has a file, open their files together.";
  }
  return "";
};

const sentence = (row, roles, file) => {
  const [start, end] = boundsOf(row, roles);
  const value = (role) => row[roles[role]] ?? "";
  const who = roles.annotator === undefined ? file.name.replace(/\.\w+$/, "") : value("annotator");
  const label = roles.category === undefined ? "without a label" : `as ${value("category")}`;
  return `${who} marks ${start} to ${end} ${label}${roles.document === undefined ? "" : `, in ${value("document")}`}`;
};

const cellOf = (kind, content) => {
  const made = document.createElement(kind);
  made.append(content);
  return made;
};
const rowOf = (kind, cells) => {
  const row = document.createElement("tr");
  row.append(...cells.map((content) => cellOf(kind, content)));
  return row;
};

/** Return the column of each role in a map that the program proposes; null if it is of another form, or lacks a role. */
const proposed = ({ columns }, { form, roles = {}, ...more } = {}) => {
  const entries = Object.entries(roles).map(([role, name]) => [role === "duration" ? "length" : role, columns.indexOf(name)]);
  const isWhole = ["document", "annotator", "category"].every((role) => role in roles);
  const isSimple = form === "row" && isWhole && !Object.keys(more).length && entries.every(([role, index]) => role in ROLES && index >= 0);
  return isSimple ? Object.fromEntries(entries) : null;
};

/** Return the map of the columns that are chosen. */
const mapOf = (columns, chosen) => {
  const roles = Object.entries(chosen).map(([role, index]) => [role === "length" ? "duration" : role, columns[index]]);
  return { form: "row", roles: Object.fromEntries(roles) };
};

const wordsOf = (value) => {
  if (Array.isArray(value)) return value.map(wordsOf).join(" · ");
  return value && typeof value === "object" ? Object.entries(value).map(([key, part]) => `${key} ${wordsOf(part)}`).join(", ") : String(value);
};

const named = (words, control) => {
  const label = document.createElement("label");
  label.append(`${words} `, control);
  control.ariaLabel = words;
  return label;
};
const selectOf = (options, value) => {
  const select = document.createElement("select");
  select.append(...options.map(([word, own]) => new Option(word, own)));
  select.value = value;
  return select;
};

const open = async () => {
  const dialog = $("#columns");
  dialog.returnValue = "";
  dialog.showModal();
  $("#columns select")?.focus();
  await new Promise((closed) => dialog.addEventListener("close", closed, { once: true }));
  return dialog.returnValue === "measure";
};

/** Show the maps that the program proposes as a form, and return a promise of the chosen map, or of null. */
const chooseMap = async (proposals, why) => {
  const names = [...new Set(proposals.flatMap(({ roles = {} }) => Object.values(roles).filter((name) => typeof name === "string")))];
  const list = $("#columns ul");
  let map = null;
  const show = (proposal) => {
    map = structuredClone(proposal);
    const { roles = {}, ...more } = map;
    const fields = Object.entries(roles).map(([role, value]) => {
      if (typeof value !== "string") return cellOf("li", `${role}: ${wordsOf(value)}`);
      const select = selectOf(names.map((name) => [name, name]), value);
      select.addEventListener("change", () => (roles[role] = select.value));
      return cellOf("li", named(role, select));
    });
    list.replaceChildren(...fields, ...Object.entries(more).map(([key, value]) => cellOf("li", `${key}: ${wordsOf(value)}`)));
  };
  const choice = selectOf(proposals.map(({ form, roles }, index) => [`${form}: ${wordsOf(roles ?? {})}`, index]), 0);
  choice.addEventListener("change", () => show(proposals[Number(choice.value)]));
  $("#columns thead").replaceChildren();
  $("#columns tbody").replaceChildren();
  $("#columns-why").replaceChildren(why, ...(proposals.length > 1 ? [" ", named("Proposal", choice)] : []));
  $("#columns-measure").disabled = false;
  show(proposals[0]);
  return (await open()) ? map : null;
};

/** Show the table in the dialog, and return a promise of the chosen columns, or of null. */
const choose = async (table, why, isOneFile, proposal) => {
  const found = proposed(table, proposal) ?? guess(table, JSON.parse($("#columns").dataset.usual), isOneFile);
  const selects = table.columns.map((name, index) => {
    const select = document.createElement("select");
    select.ariaLabel = `What ${name} is`;
    select.append(new Option("not read", ""), ...Object.entries(ROLES).map(([role, word]) => new Option(word, role)));
    select.value = Object.keys(found).find((role) => found[role] === index) ?? "";
    select.addEventListener("change", () => {
      // a role has one column
      for (const other of selects) if (other !== select && other.value === select.value) other.value = "";
      show();
    });
    return select;
  });
  const heads = rowOf("th", table.columns);
  for (const head of heads.children) head.scope = "col";
  $("#columns thead").replaceChildren(rowOf("td", selects), heads);
  $("#columns tbody").replaceChildren(...table.rows.slice(0, SHOWN_ROWS).map((row) => rowOf("td", row)));
  $("#columns-why").textContent = why;
  const chosen = () => Object.fromEntries(selects.map((select, index) => [select.value, index]).filter(([role]) => role));
  const show = () => {
    const roles = chosen();
    const wrong = problemOf(table, roles, isOneFile);
    const units = wrong ? [] : table.rows.slice(0, 2).map((row) => sentence(row, roles, table.file));
    $("#columns ul").replaceChildren(...[wrong, ...units, ...assumptions(table, roles)].filter(Boolean).map((text) => cellOf("li", text)));
    $("#columns-measure").disabled = Boolean(wrong);
  };
  show();
  return (await open()) ? chosen() : null;
};

/**
 * Ask which column is which; return a promise of the files and the settings to read them by, or null.
 * `proposals` are the maps that the program proposes, the likeliest first.
 */
export const askColumns = async (files, why, proposals = []) => {
  const tables = await Promise.all(files.map(tableOf));
  const [first] = tables;
  const [proposal] = proposals;
  // Files of several tools, or tables of other columns, are not read by one choice of columns.
  const isOne = tables.every((table) => table && table.columns.join() === first.columns.join());
  if (!isOne && proposal) {
    const map = await chooseMap(proposals, why);
    return map && { files, reading: JSON.stringify({ map: JSON.stringify(map) }) };
  }
  if (!isOne) return null;
  const roles = await choose(first, why, files.length === 1, proposal);
  if (!roles) return null;
  if (proposed(first, proposal)) return { files, reading: JSON.stringify({ map: JSON.stringify(mapOf(first.columns, roles)) }) };
  const isAsIs = tables.every((table) => isReadAsIs(table, roles));
  const reading = {};
  if (isAsIs) reading.column = Object.fromEntries(Object.entries(roles).map(([role, index]) => [role, first.columns[index]]));
  if (roles.annotator === undefined) reading.annotators_from = "{file}";
  if (roles.document === undefined) reading.one_document = true;
  if (roles.category === undefined) reading.no_categories = true;
  return { files: isAsIs ? files : await Promise.all(tables.map((table) => converted(table, roles))), reading: JSON.stringify(reading) };
};
