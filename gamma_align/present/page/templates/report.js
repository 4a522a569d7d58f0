// What the report does beside being read: unfold rows, open the cards behind a count, sort, copy, move by keys.
"use strict";
(() => {
  const $ = (selector, within = document) => within.querySelector(selector);
  const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
  const lists = JSON.parse($("#lists").textContent);
  const AT_ONCE = 20;

  // rows, kinds and documents that unfold: their content waits in the template beside them
  const unfold = (section) => {
    const template = $$("template", section).find((each) => !each.closest("details"));
    if (!template) return;
    const target = $(".folded:not(details .folded)", section);
    const rows = $("tbody", template.content);
    target.replaceChildren(...(rows ? rows.children : template.content.cloneNode(true).childNodes));
    template.remove();
    const more = $(".more", section);
    if (more) more.remove();
  };
  for (const button of $$("[data-unfold]")) {
    button.hidden = false;
    button.addEventListener("click", () => unfold(button.closest("section")));
  }
  for (const details of $$("details.whole")) {
    details.addEventListener("toggle", () => {
      const template = $("template", details);
      if (template) $(".folded", details).replaceChildren(template.content.cloneNode(true)), template.remove();
    });
  }

  // the cards behind a count
  const panel = document.createElement("div");
  panel.id = "cases";
  let opener = null;
  const cardOf = (number) => $(`template[data-card="${number}"]`).content.cloneNode(true);
  const close = () => {
    if (!panel.isConnected) return;
    panel.remove();
    history.replaceState(null, "", location.pathname + location.search);
    if (opener && opener.isConnected) opener.focus();
  };
  const more = (list, from) => {
    const next = list.cards.slice(from, from + AT_ONCE);
    panel.append(...next.map(cardOf));
    if (from + next.length < list.cards.length) {
      const button = document.createElement("button");
      button.textContent = `${Math.min(AT_ONCE, list.cards.length - from - next.length)} more`;
      button.addEventListener("click", () => {
        const first = panel.querySelectorAll(".card").length;
        button.remove();
        more(list, from + AT_ONCE);
        focusCard(panel.querySelectorAll(".card")[first]);
      });
      panel.append(button);
    }
  };
  const open = (key, link) => {
    const list = lists[key];
    if (!list) return false;
    opener = link;
    const title = document.createElement("h3");
    title.tabIndex = -1;
    title.dir = "auto";
    const all = list.of === list.cards.length;
    const size = all ? `${list.of.toLocaleString("en")}` : `${list.cards.length} of ${list.of.toLocaleString("en")}, the worst`;
    title.append(`${size} ${list.of === 1 ? "case" : "cases"}: ${list.title}`);
    const button = document.createElement("button");
    button.textContent = "Close";
    button.addEventListener("click", close);
    title.append(button);
    panel.replaceChildren(title);
    more(list, 0);
    const place = link.closest(".wide, .finding, .card") || link.closest("section");
    place.after(panel);
    title.focus();
    panel.scrollIntoView({ block: "nearest" });
    return true;
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-cases]");
    if (link && open(link.dataset.cases, link)) {
      event.preventDefault();
      history.replaceState(null, "", `#${encodeURIComponent(link.dataset.cases)}`);
    }
  });
  const follow = () => {
    const address = decodeURIComponent(location.hash.slice(1));
    if (lists[address]) {
      let link = $(`a[data-cases="${CSS.escape(address)}"]`);
      if (!link) {
        $$("section").forEach(unfold);
        link = $(`a[data-cases="${CSS.escape(address)}"]`);
      }
      if (link) open(address, link);
    } else if (address.startsWith("a-")) {
      const found = $$("template[data-card]").find((each) => $(".card", each.content).dataset.address === address);
      if (!found) return;
      const number = Number(found.dataset.card);
      lists[address] = { title: "One disagreement", of: 1, cards: [number] };
      open(address, $("#cards h2"));
    }
  };
  window.addEventListener("hashchange", follow);

  // keys: j and k go from card to card, w to the worst, Escape closes
  const focusCard = (card) => {
    if (!card) return;
    card.tabIndex = -1;
    card.focus();
    card.scrollIntoView({ block: "nearest" });
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
    if (event.key === "Escape") close();
    if (event.key === "w") focusCard($(".card", panel.isConnected ? panel : document));
    if (event.key !== "j" && event.key !== "k") return;
    const cards = panel.isConnected ? $$(".card", panel) : $$("main .card");
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
  for (const words of $$(".sorting")) words.hidden = false;
  for (const head of $$("table.sortable th[data-sort]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      unfold(head.closest("section"));
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
      rows.sort(([a], [b]) => (a === null) - (b === null) || sign * (typeof a === "string" ? a.localeCompare(b) : a - b));
      $("tbody", table).append(...rows.map(([, row]) => row));
    });
  }

  // what can be copied
  for (const button of $$("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const source = document.getElementById(button.dataset.copy);
      try {
        await navigator.clipboard.writeText(source.textContent);
        $("#copied").textContent = "Copied.";
      } catch {
        source.closest("details")?.setAttribute("open", "");
        getSelection().selectAllChildren(source);
        $("#copied").textContent = "Selected: copy it with Ctrl-C.";
      }
    });
  }

  follow();
})();
