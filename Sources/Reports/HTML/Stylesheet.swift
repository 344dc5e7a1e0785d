import Measuring
import RunRecords

/// How a report looks, in light and in dark mode. The colours of the series are those of Okabe and
/// Ito, darkened or lightened for contrast: they are distinct for any colour vision.
enum Stylesheet {
    static let text = colours + page + drawings

    private static let colours = """

        :root { color-scheme: light dark;
          --paper: #ffffff; --ink: #1c2128; --muted: #57606a; --line: #d0d7de; --grid: #e6eaee;
          --panel: #f6f8fa; --good: #04724d; --bad: #b3320a; --warn: #805500; --unseen: #d9dee4;
          --c0: #0068a8; --c1: #bd4c00; --c2: #007f5c; --c3: #a8508a; --c4: #946200; --c5: #1f6f97;
          --c6: #6a4ba3; --c7: #555d66; }
        @media (prefers-color-scheme: dark) { :root {
          --paper: #11151b; --ink: #e6eaef; --muted: #9aa5b1; --line: #39424d; --grid: #262d36;
          --panel: #1a2028; --good: #4cc38a; --bad: #ff8a5c; --warn: #e2b04a; --unseen: #333c47;
          --c0: #5eb3ea; --c1: #f48a4a; --c2: #35c79a; --c3: #e090c4; --c4: #dcae3c; --c5: #93cbe8;
          --c6: #b49be6; --c7: #aab2bb; } }

        """

    private static let page = """
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--paper); color: var(--ink);
          font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
        header, nav, main { max-width: 1080px; margin: 0 auto; padding: 0 20px; }
        header { padding-top: 28px; }
        .eyebrow { color: var(--muted); font-size: 13px; margin: 0 0 4px; }
        h1 { font-size: 25px; line-height: 1.3; margin: 0 0 14px; font-weight: 600; }
        h2 { font-size: 20px; margin: 44px 0 8px; padding-top: 18px; border-top: 1px solid var(--line); }
        h3 { font-size: 15px; margin: 26px 0 4px; }
        p { margin: 6px 0; }
        code { font: 13px ui-monospace, SFMono-Regular, Menlo, "DejaVu Sans Mono", monospace;
          overflow-wrap: anywhere; }
        code span { white-space: nowrap; }
        a { color: var(--c0); }
        .banner { border-left: 6px solid var(--good); background: var(--panel); padding: 14px 18px;
          border-radius: 4px; }
        .banner.doubtful { border-color: var(--warn); }
        .banner.bad { border-color: var(--bad); }
        .answers { list-style: none; padding: 0; margin: 14px 0 0; font-size: 16px; }
        .answers li + li, .advice li + li { margin-top: 6px; }
        .advice { padding-left: 18px; }
        .muted { color: var(--muted); font-size: 14px; }
        .crossed { color: var(--bad); font-weight: 600; }
        nav ul { list-style: none; padding: 0; margin: 18px 0 0; display: flex; flex-wrap: wrap;
          gap: 4px 18px; font-size: 14px; }
        figure { margin: 20px 0 8px; }
        figcaption { font-size: 14px; color: var(--muted); margin-bottom: 8px; }
        figcaption strong { color: var(--ink); }
        .table { overflow-x: auto; margin: 14px 0; }
        table { border-collapse: collapse; font-size: 13.5px; font-variant-numeric: tabular-nums; }
        th, td { text-align: left; padding: 5px 12px 5px 0; border-bottom: 1px solid var(--line);
          vertical-align: top; }
        th { color: var(--muted); font-weight: 600; vertical-align: bottom; }
        td.number, th.number { text-align: right; }
        td:first-child, th:first-child { position: sticky; left: 0; background: var(--paper); }
        .banner td:first-child, .banner th:first-child { background: var(--panel); }
        td strong { color: var(--good); }
        @media (min-width: 641px) { .banner td:first-child { white-space: nowrap; } }
        @media (max-width: 640px) {
          .claims table, .claims thead, .claims tbody { display: block; }
          .claims tr { display: grid; grid-template-columns: 1fr 1.4fr 7em; padding: 4px 0;
            border-bottom: 1px solid var(--line); }
          .claims td, .claims th { border: 0; padding-top: 2px; padding-bottom: 2px; }
          .claims td:first-child, .claims th:first-child { grid-column: 1 / -1; } }
        details { margin: 14px 0; }
        summary { cursor: pointer; color: var(--c0); font-size: 14px; }
        @media print { h2 { break-after: avoid; } figure { break-inside: avoid; } nav { display: none; } }

        """

    private static let drawings = """
        .drawing { overflow-x: auto; }
        svg { display: block; height: auto; max-width: 100%; overflow: visible;
          font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
          font-variant-numeric: tabular-nums; }
        .drawing svg { min-width: 620px; }
        .narrow { display: none; } .narrow svg { min-width: 0; }
        @media (max-width: 640px) { .wide { display: none; } .narrow { display: block; } }
        .forest { font-size: 13.5px; font-variant-numeric: tabular-nums; }
        .forest .row { display: grid; align-items: center; column-gap: 12px;
          grid-template-columns: minmax(0, 1.1fr) minmax(0, 2.2fr) minmax(0, 1.7fr); }
        .forest svg { width: 100%; height: 26px; }
        .forest .heading { font-weight: 600; margin: 10px 0 0; }
        @media (max-width: 640px) {
          header, nav, main { padding: 0 12px; } .banner { padding: 10px 12px; } h1 { font-size: 21px; }
          .forest .row { grid-template-columns: minmax(0, 1fr) minmax(0, 2fr); margin-top: 6px; }
          .forest svg { grid-row: 2; grid-column: 1 / -1; } .forest .value { text-align: right; }
          .forest .axis svg { grid-row: 1; } .forest .axis span:first-child { display: none; }
          .forest .axis .muted { grid-column: 1 / -1; text-align: center; } }
        svg text { fill: var(--ink); }
        .middle { text-anchor: middle; } .end { text-anchor: end; }
        svg .tick, svg .axis { fill: var(--muted); font-size: 11px; }
        .grid { stroke: var(--grid); stroke-width: 1; }
        .zero { stroke: var(--muted); stroke-width: 1.25; }
        .divider { stroke: var(--muted); stroke-dasharray: 2 3; }
        .leader { stroke: var(--line); }
        .handed { stroke: var(--ink); stroke-width: 1.25; stroke-dasharray: 3 2; fill: none; }
        .tip { fill: var(--ink); }
        .unseen { fill: var(--unseen); }
        .waiting { fill: var(--bad); opacity: 0.55; }
        .faint { opacity: 0.5; } .faint.waiting { opacity: 0.2; }
        .interval { stroke-width: 3.5; stroke-linecap: round; }
        .estimate { stroke-width: 2; }
        .better { stroke: var(--good); fill: var(--good); }
        .worse { stroke: var(--bad); fill: var(--bad); }
        .known { stroke: var(--ink); fill: var(--ink); }
        .same { stroke: var(--muted); fill: var(--muted); }
        .unclear { stroke: var(--warn); fill: var(--paper); }
        .value { stroke: none; }
        .value.better { color: var(--good); font-weight: 600; }
        .value.worse { color: var(--bad); font-weight: 600; }
        .value.unclear { color: var(--warn); }
        .s0 { --c: var(--c0); } .s1 { --c: var(--c1); } .s2 { --c: var(--c2); }
        .s3 { --c: var(--c3); } .s4 { --c: var(--c4); } .s5 { --c: var(--c5); }
        .s6 { --c: var(--c6); } .s7 { --c: var(--c7); }
        .line { stroke: var(--c); stroke-width: 2; fill: none; stroke-linejoin: round; }
        .dashed { stroke-dasharray: 5 4; }
        .band { fill: var(--c); opacity: 0.18; }
        .bar, .dot { fill: var(--c); }
        .sample { opacity: 0.75; }
        svg text.name { fill: var(--c); font-weight: 600; }
        .density { fill: var(--c0); }
        .d0 { opacity: 0.16; } .d1 { opacity: 0.32; } .d2 { opacity: 0.48; } .d3 { opacity: 0.64; }
        .d4 { opacity: 0.82; }
        .event { stroke: var(--c1); stroke-width: 1.5; fill: none; }

        """
}
