"use strict";
// Filters of the rows by kind and by words.
(() => {
  const [kind, search, status] = ["kind", "search", "status"].map((id) => document.getElementById(id));

  const filter = () => {
    const wanted = search.value.trim().toLowerCase();
    let [shown, total] = [0, 0];
    for (const table of document.querySelectorAll("#boards table")) {
      const rows = [...table.tBodies[0].rows];
      for (const row of rows) {
        const isOfKind = kind.value === "" || row.matches(".reported") === (kind.value === "reported");
        row.hidden = !(isOfKind && row.cells[0].textContent.toLowerCase().includes(wanted));
        shown += !row.hidden;
        total += 1;
      }
      table.parentElement.hidden = rows.every((row) => row.hidden);
    }
    if (shown === total) status.textContent = "";
    else status.textContent = shown ? `${shown} of ${total} rows match.` : "No row matches. Clear a filter to see more.";
  };

  kind.addEventListener("change", filter);
  search.addEventListener("input", filter);
  document.getElementById("choices").addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("choices").hidden = false;
})();
