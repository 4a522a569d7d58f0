// The report of the corpus: the service makes its sections, and the script of the report makes them work.

import { Decisions } from "./decide.js";
import { openReport } from "./report.js";
import { ask, askFile } from "./service.js";

const $ = (selector) => document.querySelector(selector);

export class Overview {
  #made = null; // the job and the models of the report that is shown
  #making = null;
  #follow = () => {};
  #decisions = new Map(); // by corpus; they stay while its report is made again

  constructor({ query, state, href, keep, words, mayMove, fail }) {
    Object.assign(this, { query, state, href, keep, words, mayMove, fail });
  }

  #key(job) {
    return JSON.stringify([job, this.state.model]);
  }

  /** Return whether the report of a job, with the models of now, is shown. */
  isMade(job) {
    return this.#made === this.#key(job);
  }

  /** Show the corpus before it is measured. */
  open(name, html) {
    this.#made = null;
    this.#follow = () => {};
    $("#report").replaceChildren();
    $("#opening h2 bdi").textContent = name;
    $("#opening > div").innerHTML = html;
    this.soFar("");
    this.#link($("#opening"));
    $("#opening").hidden = false;
  }

  /** Say the γ of the samples so far. */
  soFar(gamma) {
    $("#so-far").textContent = gamma && `γ ${gamma}`;
  }

  /** Make the report of a job and show it. */
  async make(job) {
    this.stop();
    const mine = (this.#making = new AbortController());
    const wanted = this.#key(job);
    $("#overview").ariaBusy = "true";
    try {
      const { html } = await ask(`page/report?${this.query()}`, { signal: mine.signal });
      if (mine !== this.#making) return;
      this.#place(html);
      this.#made = wanted;
    } finally {
      if (mine === this.#making) {
        this.#making = null;
        $("#overview").ariaBusy = "false";
      }
    }
  }

  /** Stop making the report. */
  stop() {
    this.#making?.abort();
  }

  /** Show the list of cases in the address. */
  follow() {
    this.#follow();
  }

  #place(html) {
    const root = document.createElement("div"); // a new one: listeners of the former report go with it
    root.innerHTML = html;
    $("#opening").hidden = true;
    $("#report").replaceChildren(root);
    for (const note of root.querySelectorAll(".notes li")) note.textContent = this.words(note.textContent);
    this.#link(root);
    const load = async (key, first, count) => {
      const list = await ask(`page/cards?${this.query({ key, first: String(first), count })}`);
      if (!list.of) return null;
      const template = document.createElement("template");
      template.innerHTML = list.html;
      this.#link(template.content);
      return { title: list.title, of: list.of, available: list.of, cards: [...template.content.children] };
    };
    const address = {
      read: () => this.state.cases ?? "",
      write: (key) => key !== this.state.cases && this.keep(key),
      onChange: (listen) => (this.#follow = listen),
    };
    this.#decisionsOf($("#opening h2 bdi").textContent).open(root, (format, decisions) => this.#decide(format, decisions));
    openReport(root, load, address, { mayMove: this.mayMove, fail: this.fail });
  }

  /** Return the decided corpus as a file with notes, or null if it cannot be made. */
  async #decide(format, decisions) {
    try {
      const { content, name, notes } = await askFile(`page/decided/${format}?${this.query()}`, { method: "POST", body: decisions });
      return { content, name, notes: notes.map(this.words) };
    } catch (error) {
      this.fail(error);
      return null;
    }
  }

  #decisionsOf(corpus) {
    if (!this.#decisions.has(corpus)) this.#decisions.set(corpus, new Decisions(corpus));
    return this.#decisions.get(corpus);
  }

  /** Give links to documents their addresses, so that they open in other windows, too. */
  #link(root) {
    for (const link of root.querySelectorAll("a[data-document]")) {
      const { document: name, at } = link.dataset;
      link.href = this.href({ document: name, at: at ? Number(at) : null, from: null, to: null });
    }
  }
}
