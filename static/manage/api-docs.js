// The documentation of the API, drawn from its schema. Requests go as the logged-in experimenter, with the CSRF token.
(() => {
  "use strict";

  const place = /** @type {HTMLElement} */ (document.getElementById("api-docs"));
  const csrf = /** @type {HTMLInputElement} */ (document.querySelector("input[name=csrfmiddlewaretoken]"));

  // @ts-expect-error: swagger-ui is a script of its own, and brings no types
  window.SwaggerUIBundle({
    domNode: place,
    url: place.dataset.schema,
    deepLinking: false, // would put links into buttons
    docExpansion: "list",
    defaultModelsExpandDepth: -1, // each type is shown where it is used
    syntaxHighlight: false, // its colours are for light pages only
    validatorUrl: null, // would send the schema to somebody else's server
    requestInterceptor(/** @type {{ headers: Record<string, string> }} */ request) {
      request.headers["X-CSRFToken"] = csrf.value;
      return request;
    },
  });
})();
