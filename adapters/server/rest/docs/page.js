// Shows the OpenAPI document with Swagger UI. The filter finds operations by any word of their
// path, name or description; Swagger UI's own finds groups only.
"use strict";

function searchOperations(groups, phrase) {
  const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (entry) => {
    const op = entry.get("operation");
    const text = [entry.get("method"), entry.get("path"), op.get("operationId"), op.get("summary"), op.get("description")];
    const all = text.join(" ").toLowerCase();
    return words.every((word) => all.includes(word));
  };
  return groups
    .map((group) => group.set("operations", group.get("operations").filter(has)))
    .filter((group) => group.get("operations").size > 0);
}

SwaggerUIBundle({
  url: document.getElementById("docs").dataset.spec,
  dom_id: "#docs",
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [() => ({ fn: { opsFilter: searchOperations } })],
  deepLinking: true,
  filter: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  validatorUrl: null,
  onComplete: () => {
    const search = document.querySelector(".operation-filter-input");
    search.placeholder = "Search by path, name or description";
    search.setAttribute("aria-label", search.placeholder);
  },
});
