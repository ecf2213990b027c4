// The documentation of the API, drawn from its schema. Requests go as the logged-in experimenter, with the CSRF token.
(function () {
  "use strict";

  const place = document.getElementById("api-docs");
  const csrf = document.querySelector("input[name=csrfmiddlewaretoken]");

  window.SwaggerUIBundle({
    domNode: place,
    url: place.dataset.schema,
    deepLinking: true,
    docExpansion: "list",
    validatorUrl: null, // would send the schema to somebody else's server
    requestInterceptor(request) {
      request.headers["X-CSRFToken"] = csrf.value;
      return request;
    },
  });
})();
