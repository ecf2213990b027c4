// A value over two parameters: R² of AEv(α, N) (Soricut & Brill 2004, Tables 1–6). The best cell is framed. Shades go
// from 0 to 1, so that two figures can be compared.

import { SIZE, el, frame, hint, number, rowsOf, short, step, text } from "../svg.js";

export function draw(figure, { width, theme }) {
  const rows = rowsOf(figure);
  const orders = [...new Set(rows.map((row) => row.N))];
  const alphas = [...new Set(rows.map((row) => row.alpha))];
  const left = 56;
  const cell = Math.min(72, (width - left - 4) / alphas.length);
  const high = 34;
  const top = 44;
  const svg = frame(width, top + orders.length * high + 8, theme, figure.title);
  svg.append(text(left, 12, figure.x, { fill: theme.muted }));
  alphas.forEach((alpha, index) => {
    const x = left + (index + 0.5) * cell;
    svg.append(text(x, top - 8, short(alpha), { "text-anchor": "middle", fill: theme.muted, "font-size": cell < 30 ? 10 : SIZE }));
  });
  orders.forEach((order, line) => {
    const y = top + line * high;
    svg.append(text(left - 10, y + high / 2 + 4, `${figure.y} = ${order}`, { "text-anchor": "end", fill: theme.muted }));
    alphas.forEach((alpha, column) => {
      const { r2 } = rows.find((row) => row.N === order && row.alpha === alpha);
      const shade = r2 === null ? null : step(r2, 0, 1, theme.ramp.length);
      const best = figure.best[0] === order && figure.best[1] === alpha;
      const said = `N = ${order}, α = ${short(alpha)}: R² = ${number(r2)}${best ? ", the best" : ""}`;
      const box = { x: left + column * cell + 1, y: y + 1, width: cell - 2, height: high - 2 };
      svg.append(
        el("rect", { ...box, rx: 2, fill: shade === null ? theme.band : theme.ramp[shade], stroke: best ? theme.ink : null, "stroke-width": best ? 2.5 : null }, hint(said)),
      );
      if (cell < 34 || r2 === null) return;
      const words = number(r2, 2).replace("0.", ".");
      svg.append(text(box.x + box.width / 2, y + high / 2 + 4, words, { "text-anchor": "middle", fill: theme.onRamp[shade], "pointer-events": "none" }));
    });
  });
  return svg;
}
