// Saving a figure: as SVG and PNG on white, and its data as CSV.

import { PAPER, el, frame, text } from "./svg.js";

const WIDTH = 760;
const HEAD = 30;
const SCALE = 3; // sharp on paper: about 240 dots per inch at 24 cm

/** The drawing as it goes into a file, with its title above it. */
function drawing(figure, plot) {
  const inner = plot.draw(figure, { width: WIDTH, theme: PAPER, saved: true });
  const height = Number(inner.getAttribute("height")) + HEAD + 16;
  const outer = frame(WIDTH + 32, height, PAPER, figure.title);
  outer.append(el("rect", { width: WIDTH + 32, height, fill: PAPER.paper }));
  outer.append(text(16, 20, figure.title, { "font-size": 14, "font-weight": 600 }));
  inner.setAttribute("x", 16);
  inner.setAttribute("y", HEAD);
  outer.append(inner);
  return outer;
}

function asText(svg) {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(svg)}\n`;
}

function svgFile(figure, plot) {
  return new Blob([asText(drawing(figure, plot))], { type: "image/svg+xml" });
}

async function pngFile(figure, plot) {
  const svg = drawing(figure, plot);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(asText(svg))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Number(svg.getAttribute("width")) * SCALE;
  canvas.height = Number(svg.getAttribute("height")) * SCALE;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

function csvFile(figure, plot) {
  const { columns, rows } = plot.table ? plot.table(figure) : plain(figure);
  const lines = [columns.map(cell), ...rows.map((row) => columns.map((name) => cell(row[name])))];
  return new Blob([`${lines.map((line) => line.join(",")).join("\n")}\n`], { type: "text/csv" });
}

function plain(figure) {
  const rows = figure.rows.map((row) => Object.fromEntries(figure.columns.map((name, index) => [name, row[index]])));
  return { columns: figure.columns, rows };
}

/** A cell; text that a spreadsheet would run as a formula is neutralised, as in the downloads of judgments. */
function cell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const safe = /^'*[=+\-@\t\r]/.test(value) && Number.isNaN(Number(value)) ? `'${value}` : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const FILES = { SVG: svgFile, PNG: pngFile, CSV: csvFile };

function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** The buttons under a plot. */
export function saveMount(holder, figure, plot) {
  const bar = document.createElement("p");
  bar.className = "save row small no-print";
  bar.append("Save as");
  for (const [name, make] of Object.entries(FILES)) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button quiet small";
    button.textContent = name;
    button.setAttribute("aria-label", `Save “${figure.title}” as ${name}`);
    button.addEventListener("click", async () => {
      download(await make(figure, plot), `${figure.name}.${name.toLowerCase()}`);
    });
    bar.append(button);
  }
  holder.append(bar);
}
