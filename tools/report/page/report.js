// SPDX-License-Identifier: Apache-2.0
// Draws the page from the facts in it. Texts of a cache may be anything, so they are only ever set as text.
"use strict";

const facts = JSON.parse(document.getElementById("facts").textContent);
const page = document.getElementById("page");
const redraws = [];  // functions that draw a chart again, in the colours of the moment

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") made.className = value;
    else made.setAttribute(name, value);
  }
  for (const child of children) made.append(child);
  return made;
}

function timeText(ns) {
  if (!ns) return "-";
  for (const [unit, size] of [["s", 1e9], ["ms", 1e6], ["us", 1e3]]) {
    if (ns >= size) return `${(ns / size).toPrecision(3)} ${unit}`;
  }
  return `${ns.toPrecision(3)} ns`;
}
const ratioText = (ratio) => (ratio ? `${ratio.toFixed(2)}x` : "-");
const countText = (count) => count.toLocaleString("en");
const spaceText = (space) => (!space ? "-" : countText(space) + (space >= facts.space_limit ? "+" : ""));
const dateText = (unix) => (unix ? new Date(unix * 1000).toISOString().slice(0, 19).replace("T", " ") + " UTC" : "-");
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const date = (unix) => new Date(unix * 1000);

function addSection(title, remark, ...children) {
  page.append(element("section", {}, element("h2", {}, title), element("p", {}, remark), ...children));
}

// A chart that is drawn now and whenever its colours change. `make` returns Plotly's traces and layout.
function chart(id, make) {
  const place = element("div", { class: "chart", id });
  const draw = () => {
    const { traces, layout } = make();
    const axis = { gridcolor: colour("line"), zerolinecolor: colour("line"), automargin: true };
    Plotly.react(place, traces, {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: colour("text"), size: 12 }, margin: { l: 50, r: 16, t: 10, b: 44 },
      legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom" }, ...layout,
      xaxis: { ...axis, ...layout.xaxis }, yaxis: { ...axis, ...layout.yaxis },
    }, { responsive: true, displaylogo: false, displayModeBar: false });
  };
  redraws.push(draw);
  place.redraw = draw;
  return place;
}

// A logarithmic axis, with as many ticks as there is room for over these values.
function logAxis(text, values) {
  const [least, most] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
  const span = most / least;
  if (span < 2) return { type: "log", title: { text } };
  const digits = span > 1000 ? [1] : span > 8 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 8];
  const ticks = [];
  for (let power = Math.floor(Math.log10(least)) - 1; power <= Math.log10(most) + 1; ++power) {
    for (const digit of digits) ticks.push(Number((digit * 10 ** power).toPrecision(2)));
  }
  return { type: "log", title: { text }, tickvals: ticks, ticktext: ticks.map((tick) => tick.toLocaleString("en")) };
}

function drawCharts() {
  for (const draw of redraws) draw();
}

// A table whose columns sort when their titles are pressed. A column: title, value, text, and class of its cells.
function sortableTable(id, columns, rows, start) {
  const body = element("tbody");
  let shown = rows;
  let sorted = start;
  const fill = () => {
    const value = columns[sorted.column].value;
    const order = [...shown].sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      const difference = typeof x === "string" ? x.localeCompare(y) : x - y;
      return sorted.descends ? -difference : difference;
    });
    body.replaceChildren(...order.map((row) => element("tr", {}, ...columns.map((column) =>
      element("td", { class: `${column.class || ""} ${column.tone ? column.tone(row) : ""}`, title: column.text(row) },
        column.text(row))))));
  };
  const titles = columns.map((column, index) => {
    const button = element("button", { type: "button" }, column.title);
    button.addEventListener("click", () => {
      sorted = { column: index, descends: sorted.column === index ? !sorted.descends : true };
      fill();
    });
    return element("th", { class: column.class || "" }, button);
  });
  fill();
  const table = element("table", { id }, element("thead", {}, element("tr", {}, ...titles)), body);
  return { element: element("div", { class: "scroll" }, table), show: (some) => { shown = some; fill(); } };
}

function choice(label, values, onChange) {
  const select = element("select", {}, ...values.map(([value, text]) => element("option", { value }, text)));
  select.addEventListener("change", onChange);
  return { element: element("label", {}, label, select), select };
}

function headline() {
  const h = facts.headline;
  const saved = h.vendor_ns > 0 ? 1 - h.plan_ns / h.vendor_ns : 0;
  const share = h.exhaustive_trials > 0 ? h.trials_of_known_spaces / h.exhaustive_trials : 0;
  const cards = [
    [h.tuned ? ratioText(h.geomean_speedup) : "-", "geometric mean of the speed-ups of tuned problems"],
    [`${countText(h.tuned)} of ${countText(h.problems)}`, "problems tuned; the others keep the vendor's kernel"],
    [h.tuned ? `${(100 * saved).toFixed(0)} %` : "-",
      `of the vendor's time saved, each tuned problem called once (${timeText(h.vendor_ns)} to ${timeText(h.plan_ns)})`],
    ...(h.calls ? [[timeText(h.calls_saved_ns), `saved about, of ${timeText(h.calls_ns + h.calls_saved_ns)}, in ` +
      `${countText(h.calls)} calls of programs since the tuner began`]] : []),
    [countText(h.trials), share > 0 ? `timings spent: at most ${(100 * share).toPrecision(2)} % of what an exhaustive search takes`
      : "timings spent"],
  ];
  page.append(element("div", { class: "cards", id: "headline" }, ...cards.map(([figure, text]) =>
    element("div", { class: "card" }, element("b", {}, figure), element("span", {}, text)))));
}

// Without what seldom tells problems apart: alignment, leading dimensions.
const shortProblem = (text) => text.split(" ").slice(0, 4).join(" ");

const kMostBars = 20;

function speedups() {
  const tuned = facts.problems.filter((row) => row.speedup > 0);
  if (tuned.length === 0) return;
  const rows = tuned.slice(0, kMostBars).sort((a, b) => a.speedup - b.speedup);
  const places = rows.map((_, index) => index);
  const place = chart("speedups", () => ({
    traces: [{ type: "bar", orientation: "h", y: places, x: rows.map((row) => row.speedup), name: "speed-up",
      text: rows.map((row) => ` ${ratioText(row.speedup)} `), textposition: "outside", cliponaxis: false,
      customdata: rows.map((row) => [row.problem, timeText(row.vendor_ns), timeText(row.plan_ns)]),
      hovertemplate: "%{customdata[0]}<br>%{customdata[1]} to %{customdata[2]}<extra></extra>",
      marker: { color: colour("ours") } }],
    layout: {
      showlegend: false, bargap: 0.25,
      xaxis: { range: [0, (page.clientWidth < 600 ? 1.3 : 1.1) * rows.at(-1).speedup], title: { text: "speed-up" } },  // and the figures
      yaxis: { tickvals: places, ticktext: rows.map((row) => shortProblem(row.problem) + "  "), showgrid: false, zeroline: false },
      shapes: [{ type: "line", x0: 1, x1: 1, yref: "paper", y0: 0, y1: 1, line: { color: colour("vendor"), dash: "dot" } }],
    },
  }));
  place.style.height = `${90 + 30 * rows.length}px`;
  const which = tuned.length > kMostBars ? `The ${kMostBars} tuned problems that save most of one call` : "Each tuned problem";
  addSection("What got faster", `${which}, measured in turns with the vendor's kernel, which is the dotted line.`, place);
}

// The highest rates that were seen: no measured limit of the machine, but none can be below.
function seenRoof(rows) {
  const flops = Math.max(...rows.map((row) => row.flops / row.best_ns));
  const bytes = Math.max(...rows.map((row) => row.bytes / row.best_ns));
  return { flops, bytes };
}

function roofline() {
  const known = facts.problems.filter((row) => row.flops > 0 && row.bytes > 0 && row.best_ns > 0);
  if (known.length === 0) return;
  // Machine by machine: the limits of one are none of another's.
  const machines = facts.devices.filter(({ target }) => known.some((row) => row.target === target));
  const machine = choice("machine", machines.map(({ target, text }) => [target, text]), () => place.redraw());
  const place = chart("roofline", () => {
    const rows = known.filter((row) => row.target === machine.select.value);
    const x = (row) => row.flops / row.bytes;
    const points = (name, tone, some, time, text) => ({
      name, type: "scatter", mode: "markers", x: some.map(x), y: some.map((row) => row.flops / time(row)),
      text: some.map(text), hovertemplate: "%{text}<br>%{y:.3g} GFLOP/s<extra></extra>",
      marker: { color: colour(tone), size: 8, opacity: 0.8 },
    });
    const both = rows.filter((row) => row.vendor_ns > 0);
    const joined = both.length > 60 ? [] : both;  // more lines would be a surface
    const roof = seenRoof(rows);
    const ends = [Math.min(...rows.map(x)) / 1.5, Math.max(...rows.map(x)) * 1.5];
    const knee = Math.min(Math.max(roof.flops / roof.bytes, ends[0]), ends[1]);
    const lines = [ends[0], knee, ends[1]];
    return {
      traces: [
        { name: "highest seen", type: "scatter", mode: "lines", x: lines,
          y: lines.map((at) => Math.min(roof.flops, roof.bytes * at)), line: { color: colour("faint"), dash: "dot" },
          hoverinfo: "skip" },
        { type: "scatter", mode: "lines", x: joined.flatMap((row) => [x(row), x(row), null]), hoverinfo: "skip", showlegend: false,
          y: joined.flatMap((row) => [row.flops / row.vendor_ns, row.flops / row.best_ns, null]),
          line: { color: colour("faint"), width: 1 } },
        points("vendor", "vendor", both, (row) => row.vendor_ns, (row) => row.problem),
        points("best config", "ours", rows, (row) => row.best_ns,
          (row) => `${row.problem}${row.speedup ? `, ${ratioText(row.speedup)} of the vendor` : ""}`),
      ],
      layout: {
        xaxis: logAxis("operations per byte", ends),
        yaxis: logAxis("GFLOP/s", rows.flatMap((row) => [row.best_ns, row.vendor_ns || row.best_ns].map((ns) => row.flops / ns))),
      },
    };
  });
  addSection("Rate over arithmetic intensity",
    "Each problem twice: what the vendor's kernel reaches and what the best config timed reaches. The lines are the " +
    "highest rates seen of this machine in this cache, not measured limits of it.",
    ...(machines.length > 1 ? [element("div", { class: "controls" }, machine.element)] : []), place);
}

function problemTable() {
  const columns = [
    { title: "problem", value: (r) => r.problem, text: (r) => r.problem, class: "text" },
    { title: "speed-up", value: (r) => r.speedup, text: (r) => ratioText(r.speedup), class: "number" },
    { title: "vendor", value: (r) => r.vendor_ns, text: (r) => timeText(r.vendor_ns), class: "number" },
    { title: "best", value: (r) => r.best_ns, text: (r) => timeText(r.best_ns), class: "number" },
    { title: "state", value: (r) => r.state, text: (r) => r.state, tone: (r) => r.state },
    ...(facts.devices.length > 1
      ? [{ title: "device", value: (r) => r.device, text: (r) => r.device, class: "text wide" }] : []),
    ...(facts.headline.calls ? [
      { title: "calls", value: (r) => r.calls || 0, text: (r) => (r.calls ? countText(r.calls) : "-"), class: "number wide" },
      { title: "saved", value: (r) => r.calls_saved_ns || 0, text: (r) => timeText(r.calls_saved_ns), class: "number wide" },
    ] : []),
    { title: "timings", value: (r) => r.trials, text: (r) => countText(r.trials), class: "number" },
    { title: "of", value: (r) => r.space, text: (r) => spaceText(r.space), class: "number wide" },
    { title: "failed", value: (r) => r.failed, text: (r) => countText(r.failed), class: "number wide" },
    { title: "config", value: (r) => r.plan_config || r.best_config, text: (r) => r.plan_config || r.best_config, class: "text wide" },
  ];
  const table = sortableTable("problems", columns, facts.problems, { column: 1, descends: true });
  const filter = element("input", { id: "filter", type: "search", placeholder: "f32 512x  tuned" });
  filter.addEventListener("input", () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    table.show(facts.problems.filter((row) => {
      const text = `${row.problem} ${row.device} ${row.state} ${row.plan_config || row.best_config}`.toLowerCase();
      return words.every((word) => text.includes(word));
    }));
  });
  addSection("Speed-up by problem", "Press a title to sort. A tuned problem's speed-up was measured in turns with the " +
    "vendor's kernel.", element("div", { class: "controls" }, element("label", {}, "show those with", filter)), table.element);
}

function predictions() {
  const points = [];
  facts.trials.forEach((trials, index) => {
    for (const [config, , median, , , predicted] of trials) {
      if (median > 0 && predicted > 0) points.push([predicted, median, `${facts.problems[index].problem}<br>${config}`]);
    }
  });
  if (points.length === 0) return;
  const errors = points.map(([predicted, median]) => Math.abs(Math.log(predicted / median))).sort((a, b) => a - b);
  const half = Math.exp(errors[Math.floor(errors.length / 2)]);
  const step = Math.ceil(points.length / 4000);
  const some = points.filter((_, index) => index % step === 0);
  addSection("Predicted against measured",
    `The model in force now, on ${facts.left_out.trials > 0
      ? "the timings of this page, from which the slowest of problems with many are left out" : "every timing here"}. ` +
    `Half of its predictions are within a factor of ${half.toFixed(2)}.`,
    chart("predictions", () => {
      const all = points.flatMap(([predicted, median]) => [predicted, median]);
      const ends = [all.reduce((a, b) => Math.min(a, b)), all.reduce((a, b) => Math.max(a, b))].map((ns) => ns / 1e3);
      return {
        traces: [
          { name: "equal", type: "scatter", mode: "lines", x: ends, y: ends, line: { color: colour("faint"), dash: "dot" },
            hoverinfo: "skip" },
          { name: "a timing", type: "scatter", mode: "markers", x: some.map((p) => p[0] / 1e3), y: some.map((p) => p[1] / 1e3),
            text: some.map((p) => p[2]), hovertemplate: "%{text}<br>predicted %{x:.3g} us, measured %{y:.3g} us<extra></extra>",
            marker: { color: colour("ours"), size: 4, opacity: 0.5 } },
        ],
        layout: {
          xaxis: logAxis("predicted, us", ends),
          yaxis: logAxis("measured, us", ends),
        },
      };
    }));
}

function movingGeomean(values, width) {
  return values.map((_, index) => {
    const some = values.slice(Math.max(0, index - width + 1), index + 1);
    return Math.exp(some.reduce((sum, value) => sum + Math.log(value), 0) / some.length);
  });
}

function regret() {
  const timings = facts.regret.by_timings;
  if (timings.length > 0) {
    addSection("Regret over timings",
      "Time of the best config among the first timings of a problem, over that of the best ever timed of it.",
      chart("regret", () => ({
        traces: [["geomean", "geometric mean", "ours"], ["p90", "nine of ten problems below", "vendor"]].map(([field, name, tone]) => ({
          name, type: "scatter", mode: "lines+markers", x: timings.map((point) => point.timings),
          y: timings.map((point) => point[field]), text: timings.map((point) => `${point.problems} problems`),
          hovertemplate: "%{x} timings: %{y:.4f}, %{text}<extra></extra>", line: { color: colour(tone) },
        })),
        layout: { xaxis: logAxis("timings of a problem", timings.map((point) => point.timings)), yaxis: { title: { text: "regret" } } },
      })));
  }
  const problems = facts.regret.by_problem;
  if (problems.length > 1) {
    addSection("First choices as learning goes on",
      "Regret of the first config timed and of the best of the first three, problem after problem; moving over twenty.",
      chart("choices", () => ({
        traces: [["first", "first choice", "vendor"], ["best_of_three", "best of three", "ours"]].map(([field, name, tone]) => ({
          name, type: "scatter", mode: problems.length < 10 ? "lines+markers" : "lines", x: problems.map((_, index) => index + 1),
          y: movingGeomean(problems.map((point) => point[field]), 20), text: problems.map((point) => point.problem),
          hovertemplate: "%{text}: %{y:.3f}<extra></extra>", line: { color: colour(tone) },
        })),
        layout: { xaxis: { title: { text: "problems tuned" }, tickformat: "d", ...(problems.length < 10 ? { dtick: 1 } : {}) }, yaxis: { title: { text: "regret" } } },
      })));
  }
}

function parameters(config) {
  return Object.fromEntries(config.split(/\s+/).filter((word) => word.includes("=")).map((word) => {
    const at = word.indexOf("=");
    return [word.slice(0, at), word.slice(at + 1)];
  }));
}
const asNumbers = (a, b) => (isNaN(a) || isNaN(b) ? a.localeCompare(b) : a - b);

// Least time for each pair of values of two parameters, over the best of all.
function landscapeGrid(trials, rowName, columnName) {
  const cells = new Map();
  for (const { values, median } of trials) {
    const key = JSON.stringify([values[rowName], values[columnName]]);
    cells.set(key, Math.min(cells.get(key) ?? Infinity, median));
  }
  const best = Math.min(...cells.values());
  const of = (name) => [...new Set(trials.map((trial) => trial.values[name]))].sort(asNumbers);
  const [rows, columns] = [of(rowName), of(columnName)];
  return { rows, columns, z: rows.map((row) => columns.map((column) => {
    const least = cells.get(JSON.stringify([row, column]));
    return least === undefined ? null : least / best;
  })) };
}

function landscape() {
  const timed = facts.trials.map((trials, index) => ({
    index,
    trials: trials.filter((trial) => trial[2] > 0).map((trial) => ({ values: parameters(trial[0]), median: trial[2] })),
  })).filter(({ trials }) => trials.length >= 4);
  if (timed.length === 0) return;
  const problem = choice("problem", timed.map(({ index }) => [index, facts.problems[index].problem]), () => change(true));
  const across = choice("across", [], () => change(false));
  const down = choice("down", [], () => change(false));
  const chosen = () => timed.find(({ index }) => index === Number(problem.select.value)).trials;
  const place = chart("landscape", () => {
    const grid = landscapeGrid(chosen(), down.select.value, across.select.value);
    return {
      traces: [{ type: "heatmap", x: grid.columns, y: grid.rows, z: grid.z, colorscale: "Viridis", reversescale: true, zmin: 1,
        zmax: Math.min(3, Math.max(...grid.z.flat().filter((value) => value !== null))),
        hovertemplate: `${across.select.value}=%{x} ${down.select.value}=%{y}: %{z:.2f} of the best<extra></extra>`,
        colorbar: { title: { text: "time / best" }, thickness: 12 } }],
      layout: { xaxis: { type: "category", title: { text: across.select.value } },
        yaxis: { type: "category", title: { text: down.select.value } } },
    };
  });
  const fillNames = () => {
    const trials = chosen();
    const names = Object.keys(trials[0].values)
      .map((name) => [name, new Set(trials.map((trial) => trial.values[name])).size])
      .sort((a, b) => b[1] - a[1]).map(([name]) => name);
    for (const [select, preferred] of [[across.select, names[0]], [down.select, names[1] ?? names[0]]]) {
      select.replaceChildren(...names.map((name) => element("option", { value: name }, name)));
      select.value = preferred;
    }
  };
  const change = (isOther) => {
    if (isOther) fillNames();
    place.redraw();
  };
  fillNames();
  addSection("Landscape of configs", "Least time for each pair of values, over the best of the problem; empty where nothing was timed.",
    element("div", { class: "controls" }, problem.element, across.element, down.element), place);
}

function timeline() {
  const { start_unix_s: start, step_s: step, outcomes } = facts.timeline;
  if (!step) return;
  const tones = { ok: "ours", unstable: "vendor" };
  const most = Math.max(...Object.values(outcomes).flat());
  const withdrawn = facts.events.filter((event) => event.event === "withdrawn");
  addSection("Trials over time", `Timings and failures in steps of ${step} s. What failed was caught in a process of its own.`,
    chart("timeline", () => ({
      traces: Object.entries(outcomes).map(([name, counts]) => ({
        name, type: "bar", x: counts.map((_, index) => date(start + index * step)), y: counts,
        marker: { color: colour(tones[name] || "bad") },
      })),
      layout: { barmode: "stack", yaxis: { title: { text: "trials" }, minallowed: 0, ...(most < 8 ? { dtick: 1 } : {}) } },
    })));
  const rest = (r) => Object.entries(r.fields).filter(([name]) => !["problem", "speedup"].includes(name))
    .map(([name, value]) => `${name}=${value}`).join(" ");
  const problemOf = (r) => r.fields.problem || "";
  const told = facts.events.filter((event) => event.event !== "search");  // each ends in a decision
  const table = sortableTable("events", [
    { title: "when, UTC", value: (r) => r.when_unix_s, text: (r) => dateText(r.when_unix_s).slice(5, 19) },
    { title: "event", value: (r) => r.event, text: (r) => r.event,
      tone: (r) => (r.event === "withdrawn" || r.event === "failed" ? "withdrawn" : "") },
    { title: "problem", value: problemOf, text: problemOf, class: "text" },
    { title: "speed-up", value: (r) => Number(r.fields.speedup || 0), text: (r) => ratioText(Number(r.fields.speedup || 0)), class: "number" },
    { title: "said of it", value: rest, text: rest, class: "text" },
  ], told, { column: 0, descends: true });
  if (told.length > 0) {
    addSection("Decisions and drift", withdrawn.length > 0
      ? `Plans withdrawn, because they had become slower than the vendor in the program: ${withdrawn.length}.`
      : "No plan was withdrawn: none became slower than the vendor in its program.", table.element);
  }
}

function cards() {
  if (facts.model) {
    const { name, digest, promoted, card } = facts.model;
    addSection("Model", `${name}, ${promoted ? "promoted in this cache" : "as shipped"}, ${digest.slice(0, 16)}`,
      element("details", {}, element("summary", {}, "its card"), element("pre", {}, card)));
  }
  addSection("Machines", "Devices that the timings are of.",
    element("pre", {}, facts.devices.map((device) => `${device.text}; ${countText(device.problems)} ${device.problems === 1 ? "problem" : "problems"}`).join("\n")));
}

function leftOut() {
  const { problems, trials, events } = facts.left_out;
  const parts = [[problems, "problems"], [trials, "timings"], [events, "events"]].filter(([count]) => count > 0)
    .map(([count, noun]) => `${countText(count)} ${noun}`);
  const damaged = facts.damaged > 0 ? ` ${countText(facts.damaged)} damaged records were passed over.` : "";
  return (parts.length > 0 ? `Left out of this page, though counted above: ${parts.join(", ")}.` : "") + damaged;
}

function comparison() {
  document.getElementById("about").textContent =
    `A: ${facts.a.cache}; B: ${facts.b.cache}; made ${dateText(facts.made_unix_s)}`;
  page.append(element("div", { class: "cards", id: "headline" }, ...[
    [facts.both ? ratioText(facts.geomean_ratio) : "-", "A's best time over B's, geometric mean: above 1, B is faster"],
    [countText(facts.both), "problems timed in both"],
    [`${countText(facts.only_a)} / ${countText(facts.only_b)}`, "problems in A alone / in B alone"],
  ].map(([figure, text]) => element("div", { class: "card" }, element("b", {}, figure), element("span", {}, text)))));
  if (facts.problems.length > 0) {
    addSection("Best times", "Below the line B is faster.", chart("compared", () => {
      const ends = facts.problems.flatMap((row) => [row.a_ns, row.b_ns]);
      const line = [Math.min(...ends) / 1e3, Math.max(...ends) / 1e3];
      return {
        traces: [
          { name: "equal", type: "scatter", mode: "lines", x: line, y: line, line: { color: colour("faint"), dash: "dot" }, hoverinfo: "skip" },
          { name: "problem", type: "scatter", mode: "markers", x: facts.problems.map((row) => row.a_ns / 1e3),
            y: facts.problems.map((row) => row.b_ns / 1e3), text: facts.problems.map((row) => row.problem),
            hovertemplate: "%{text}<br>A %{x:.3g} us, B %{y:.3g} us<extra></extra>", marker: { color: colour("ours") } },
        ],
        layout: { xaxis: logAxis("A, us", line), yaxis: logAxis("B, us", line) },
      };
    }));
  }
  const table = sortableTable("problems", [
    { title: "problem", value: (r) => r.problem, text: (r) => r.problem, class: "text" },
    { title: "A", value: (r) => r.a_ns, text: (r) => timeText(r.a_ns), class: "number" },
    { title: "B", value: (r) => r.b_ns, text: (r) => timeText(r.b_ns), class: "number" },
    { title: "A / B", value: (r) => r.ratio, text: (r) => ratioText(r.ratio), class: "number" },
    { title: "config of A", value: (r) => r.a_config, text: (r) => r.a_config, class: "text wide" },
    { title: "config of B", value: (r) => r.b_config, text: (r) => r.b_config, class: "text wide" },
  ], facts.problems, { column: 3, descends: true });
  addSection("Problem by problem", "Press a title to sort.", table.element);
}

function report() {
  document.getElementById("about").textContent = `${facts.cache}; made ${dateText(facts.made_unix_s)}`;
  headline();
  speedups();
  roofline();
  problemTable();
  predictions();
  regret();
  landscape();
  timeline();
  cards();
  document.getElementById("foot").append(element("p", {}, leftOut()));
}

(facts.both === undefined ? report : comparison)();
document.getElementById("foot").append(element("p", {}, `Triode ${facts.triode}`));
drawCharts();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawCharts);
