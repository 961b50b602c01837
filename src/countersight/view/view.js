"use strict";
// Asks every few seconds whether anything has come, and only then for the page itself, which takes the place of what
// is shown. The server wrote it as text that cannot act, and the policy of the page lets no other script run.
(() => {
  const EVERY = 3000;
  let known = null;

  const renew = async () => {
    const found = await fetch(location.href);
    if (!found.ok) return;
    const page = new DOMParser().parseFromString(await found.text(), "text/html");
    const open = [...document.querySelectorAll("#live details")].map((each) => each.open);
    document.getElementById("live").replaceChildren(...page.getElementById("live").childNodes);
    document.querySelectorAll("#live details").forEach((each, nth) => (each.open = open[nth] ?? false));
  };

  const look = async () => {
    const news = document.getElementById("news");
    try {
      if (document.hidden) return;
      const { state } = await (await fetch("/state")).json();
      if (known !== null && known !== state) await renew();
      known = state;
      news.textContent = `As of ${new Date().toLocaleTimeString("en-GB")}; what comes is shown by itself.`;
    } catch {
      news.textContent = "The server does not answer; this is what it showed last.";
    } finally {
      setTimeout(look, EVERY);
    }
  };
  look();
})();
