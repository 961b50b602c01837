"use strict";
// Filters of the rows by kind and by words.
(() => {
  const [kind, search, status] = ["kind", "search", "status"].map((id) => document.getElementById(id));

  const filter = () => {
    const wanted = search.value.trim().toLowerCase();
    let shown = 0;
    for (const table of document.querySelectorAll("#boards table")) {
      const rows = [...table.tBodies[0].rows];
      for (const row of rows) {
        const isOfKind = kind.value === "" || row.matches(".reported") === (kind.value === "reported");
        row.hidden = !(isOfKind && row.cells[0].textContent.toLowerCase().includes(wanted));
        shown += !row.hidden;
      }
      table.parentElement.hidden = rows.every((row) => row.hidden);
    }
    status.textContent = shown === 0 ? "No row matches. Clear a filter to see more." : "";
  };

  kind.addEventListener("change", filter);
  search.addEventListener("input", filter);
  document.getElementById("choices").addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("choices").hidden = false;
})();
