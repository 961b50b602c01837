"use strict";
// Asks the server every few seconds whether there are newer results. If so, the page is reloaded; if the
// reader has scrolled down, the page shows a button instead.
(() => {
  const EVERY = 2000;
  const live = JSON.parse(document.getElementById("live").textContent);
  const news = document.getElementById("news");

  const isBeingRead = () =>
    scrollY > 200 || document.querySelector("dialog[open]") !== null || document.activeElement?.matches("input, select");

  const offer = () => {
    if (news.querySelector("button")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "plain";
    button.textContent = "Show new results";
    button.addEventListener("click", () => location.reload());
    news.replaceChildren(button);
    news.classList.add("has-news");
  };

  const poll = async () => {
    try {
      if (document.hidden) return;
      const { state } = await (await fetch(live.state_url)).json();
      if (state !== live.state) {
        if (isBeingRead()) offer();
        else location.reload();
      } else {
        news.textContent = `As of ${new Date().toLocaleTimeString("en-GB")}.`;
      }
    } catch {
      news.textContent = "The server does not answer. This page shows the last known state.";
    } finally {
      setTimeout(poll, EVERY);
    }
  };
  setTimeout(poll, EVERY / 4);
})();
