// Words: for those who listen, in the live region, and messages for all, above what is shown.

const $ = (selector) => document.querySelector(selector);
const BETWEEN_WORDS = 2000;
const COMMAND = "What begins with -- is an option of the command gamma-align, for what the page has no setting.";

let said = 0;
let toSay = null;

/** Say something to those who listen, at most every two seconds. */
export const say = (words) => {
  clearTimeout(toSay);
  const now = () => {
    said = Date.now();
    $("#status").textContent = words;
  };
  toSay = setTimeout(now, Math.max(0, said + BETWEEN_WORDS - Date.now()));
};

const sentence = (text) => (text ? `${text[0].toUpperCase()}${text.slice(1)}`.replace(/\.?$/, ".") : "");
/** Return an error of the service as sentences: where, what, and what to do. */
export const wordsOf = ({ message, cure, where = {} }) => {
  const place = [where.file, where.line ? `line ${where.line}` : where.place].filter(Boolean).join(", ");
  return `${place && !message.startsWith(where.file ?? " ") ? `${place}: ${message}.` : sentence(message)} ${sentence(cure)}`.trim();
};

/** Show what is wrong and what to do; the focus goes there where the reader asked for it. */
export const tell = (lines, { focus = true, more = 0, actions = [], change = () => {} } = {}) => {
  const box = $("#message");
  const items = lines.map((line) => {
    const item = document.createElement(lines.length > 1 ? "li" : "p");
    item.textContent = line;
    return item;
  });
  if (lines.length > 1) {
    const list = document.createElement("ul");
    list.append(...items);
    box.replaceChildren(list);
  } else box.replaceChildren(...items);
  if (more > 0) box.append(Object.assign(document.createElement("p"), { textContent: `and ${more.toLocaleString("en")} more` }));
  if (lines.some((line) => /(^|[ (])--[a-z]/.test(line))) {
    box.append(Object.assign(document.createElement("p"), { textContent: COMMAND, className: "soft small" }));
  }
  for (const { name, value, title } of actions) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: `Set ${title}` });
    button.addEventListener("click", () => {
      hush();
      change(name, value);
    });
    box.append(button);
  }
  const close = Object.assign(document.createElement("button"), { type: "button", textContent: "Close" });
  close.addEventListener("click", () => {
    hush();
    $("#open").focus();
  });
  box.append(close);
  box.hidden = false;
  if (focus) {
    box.focus();
    box.scrollIntoView({ block: "nearest" });
  }
};
/** Take the message away. */
export const hush = () => {
  $("#message").hidden = true;
};
