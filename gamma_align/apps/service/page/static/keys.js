// Keys: letters move where no field has the focus, and can be turned off.

const $ = (selector) => document.querySelector(selector);
const KEPT = "letters";

const kept = () => {
  try {
    return localStorage.getItem(KEPT) !== "off";
  } catch {
    return true;
  }
};

export const openKeys = ({ reading, stepDocument }) => {
  const dialog = $("#keys");
  const letters = $("#letters");
  letters.checked = kept();
  letters.addEventListener("change", () => {
    try {
      localStorage.setItem(KEPT, letters.checked ? "on" : "off");
    } catch {
      // a browser that keeps nothing
    }
  });
  $("#keys-open").addEventListener("click", () => dialog.showModal());
  const actions = {
    j: () => reading.step("next"),
    k: () => reading.step("previous"),
    w: () => reading.step("worst"),
    "[": () => stepDocument(-1),
    "]": () => stepDocument(1),
    "/": () => $("#tools input, #tools summary")?.focus(),
    "?": () => dialog.showModal(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    if (event.key === "Escape") {
      const panel = $("details[open]:has(> .panel)");
      if (panel) {
        panel.open = false;
        panel.querySelector("summary").focus();
      } else reading.close();
      return;
    }
    if (event.target.closest("input:not([type=checkbox]), select, textarea")) return;
    const action = letters.checked ? actions[event.key] : undefined;
    if (!action) return;
    event.preventDefault();
    action();
  });
};
