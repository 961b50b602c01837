"use strict";
// What the page does beyond showing itself: filters over its tests, the slider between two pictures, and paper.
(() => {
  const all = (within, selector) => [...within.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);
  const make = (tag, attributes, ...children) => {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children); // strings become text nodes
    return node;
  };
  const number = (value) => value.toLocaleString("en-GB");

  // ---- pictures -----------------------------------------------------------------------------------------------

  const VIEWS = [
    ["slide", "Slider"],
    ["beside", "Side by side"],
    ["difference", "Difference"],
    ["mask", "Mask"],
  ];

  for (const views of all(document, "[data-slides]")) {
    const slide = views.querySelector(".slide");
    const show = () => {
      views.style.setProperty("--cut", `${100 - slide.value}%`);
      slide.setAttribute("aria-valuetext", `${slide.value}% edited, ${100 - slide.value}% as it was`);
    };
    slide.hidden = false;
    slide.addEventListener("input", show);
    show();
    const there = VIEWS.filter(([key]) => key === "slide" || key === "beside" || views.querySelector(`.${key}`));
    const buttons = there.map(([key, words]) => make("button", { type: "button", class: "plain", "data-view": key }, words));
    const choose = (key) => {
      views.dataset.view = key;
      for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.view === key));
    };
    for (const button of buttons) button.addEventListener("click", () => choose(button.dataset.view));
    views.prepend(make("div", { class: "switch", role: "group", "aria-label": "How the pictures are shown" }, ...buttons));
    choose("slide");
  }

  // ---- filters ------------------------------------------------------------------------------------------------

  const filters = byId("filters");
  const status = byId("status");
  const cards = all(byId("cards"), ".card").map((card) => ({
    card,
    tests: all(card, ".test"),
    words: card.textContent.toLowerCase(),
  }));
  const total = cards.reduce((sum, { tests }) => sum + tests.length, 0);

  const filter = () => {
    const asked = new FormData(filters);
    const [outcome, kind, action] = ["outcome", "kind", "action"].map((key) => asked.get(key) ?? "");
    const needle = (asked.get("q") ?? "").trim().toLowerCase();
    const any = !outcome && !kind && !action;
    let shown = 0;
    let found = 0;
    for (const { card, tests, words } of cards) {
      const has = words.includes(needle);
      let left = 0;
      for (const test of tests) {
        const fits =
          has &&
          (!outcome || test.dataset.outcome === outcome) &&
          (!kind || test.dataset.kind === kind) &&
          (!action || test.dataset.action === action);
        test.hidden = !fits;
        left += fits;
      }
      const bare = has && !tests.length && !outcome && !kind && !action; // a case of which nothing was tested
      card.hidden = !(left || bare);
      shown += !card.hidden;
      found += left;
    }
    status.textContent =
      found === total && any && !needle
        ? `${number(shown)} cases, ${number(total)} tests`
        : `${number(found)} of ${number(total)} tests, in ${number(shown)} cases`;
  };

  filters.hidden = false;
  filters.addEventListener("input", filter);
  filters.addEventListener("submit", (event) => event.preventDefault());
  filters.addEventListener("reset", () => setTimeout(filter)); // the fields are empty only after the event
  filter();

  // ---- paper --------------------------------------------------------------------------------------------------

  addEventListener("beforeprint", () => {
    for (const details of all(document, "details")) details.open = true;
  });
})();
