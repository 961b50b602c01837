"use strict";
// Asks every few seconds whether there is more than the page was made of, and only then for the page itself, which
// takes the place of what is shown. The server wrote it as text that cannot act, and the policy of the page lets no
// other script run.
(() => {
  const EVERY = 3000;
  const live = document.getElementById("live");

  const renew = async () => {
    const found = await fetch(location.href);
    if (!found.ok) return;
    const page = new DOMParser().parseFromString(await found.text(), "text/html");
    const open = [...document.querySelectorAll("#live details")].map((each) => each.open);
    const now = page.getElementById("live");
    live.dataset.state = now.dataset.state;
    live.replaceChildren(...now.childNodes);
    document.querySelectorAll("#live details").forEach((each, nth) => (each.open = open[nth] ?? false));
  };

  const look = async () => {
    const news = document.getElementById("news");
    try {
      if (document.hidden) return;
      const { state } = await (await fetch(live.dataset.look)).json();
      if (state !== live.dataset.state) await renew();
      news.textContent = `As of ${new Date().toLocaleTimeString("en-GB")}; what comes is shown by itself.`;
    } catch {
      news.textContent = "The server does not answer; this is what it showed last.";
    } finally {
      setTimeout(look, EVERY);
    }
  };
  look();
})();
