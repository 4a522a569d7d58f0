// The project that is followed: what its last looks said, and its newest documents.

import { ask } from "./service.js";

const $ = (selector, within = document) => within.querySelector(selector);
const BETWEEN_LOOKS = 3000;

/**
 * Show the project in a section, whenever there is something new.
 *
 * `shown()` returns the id of the data that are open, null for none; `open(id)` opens others; `say(words)` speaks.
 */
export const followProject = (section, { shown, open, say }) => {
  let seen = -1;
  let newest = null;
  const own = new Set(); // the data of the project that this page has opened

  const show = async () => {
    own.add(newest);
    await open(newest);
    button();
  };
  const button = () => {
    const element = $("#show-newest", section);
    if (element) element.hidden = newest === null || shown() === newest;
  };
  const look = async () => {
    const answer = await ask(`page/followed?seen=${seen}`).catch(() => ({}));
    if (answer.number === null) return false; // nothing is followed
    if (answer.html !== undefined) {
      const wasOpen = $("details", section)?.open;
      seen = answer.number;
      newest = answer.data;
      section.innerHTML = answer.html;
      section.hidden = false;
      if (wasOpen && $("details", section)) $("details", section).open = true;
      $("#show-newest", section).addEventListener("click", show);
      if (newest !== null && shown() === null) await show();
      else if (own.size) say("There is a newer version of the project");
    }
    button();
    return true;
  };
  const again = async () => {
    if (await look()) setTimeout(again, BETWEEN_LOOKS);
  };
  again();
};
