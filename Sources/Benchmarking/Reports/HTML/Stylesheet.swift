/// How a report looks, in light and in dark. The colours of the series are those of Okabe and Ito,
/// which people with any colour vision tell apart, darkened or lightened for contrast.
enum Stylesheet {
    static let text = colours + page + drawings

    private static let colours = """

        :root { color-scheme: light dark;
          --paper: #ffffff; --ink: #1c2128; --muted: #57606a; --line: #d0d7de; --grid: #e6eaee;
          --panel: #f6f8fa; --good: #04724d; --bad: #b3320a; --warn: #805500; --unseen: #d9dee4;
          --c0: #0068a8; --c1: #c24e00; --c2: #007f5c; --c3: #a8508a; --c4: #946200; --c5: #2b7fa8;
          --c6: #6a4ba3; --c7: #555d66;
          --h0: #4a94c8; --h1: #8fbedf; --h2: #cfe3f1; --h3: #f1f3f5; --h4: #fbe3c8; --h5: #f5c48b;
          --h6: #ea9a4d; --h7: #cf6a1c; --heat-ink: #16191d; }
        @media (prefers-color-scheme: dark) { :root {
          --paper: #11151b; --ink: #e6eaef; --muted: #9aa5b1; --line: #39424d; --grid: #262d36;
          --panel: #1a2028; --good: #4cc38a; --bad: #ff8a5c; --warn: #e2b04a; --unseen: #333c47;
          --c0: #5eb3ea; --c1: #f48a4a; --c2: #35c79a; --c3: #e090c4; --c4: #dcae3c; --c5: #93cbe8;
          --c6: #b49be6; --c7: #aab2bb;
          --h0: #2f7fb8; --h1: #2a618a; --h2: #244458; --h3: #2a3038; --h4: #4e3c27; --h5: #7a5425;
          --h6: #a5661f; --h7: #c8762a; --heat-ink: #f4f6f8; } }

        """

    private static let page = """
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--paper); color: var(--ink);
          font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
        header, nav, main { max-width: 960px; margin: 0 auto; padding: 0 20px; }
        header { padding-top: 28px; }
        .eyebrow { color: var(--muted); font-size: 13px; margin: 0 0 4px; }
        h1 { font-size: 25px; line-height: 1.3; margin: 0 0 14px; font-weight: 600; }
        h2 { font-size: 20px; margin: 44px 0 8px; padding-top: 18px; border-top: 1px solid var(--line); }
        h3 { font-size: 15px; margin: 26px 0 4px; }
        p { margin: 6px 0; }
        code { font: 13px ui-monospace, SFMono-Regular, Menlo, "DejaVu Sans Mono", monospace;
          overflow-wrap: anywhere; }
        a { color: var(--c0); }
        .banner { border-left: 6px solid var(--good); background: var(--panel); padding: 14px 18px;
          border-radius: 4px; }
        .banner.doubtful { border-color: var(--warn); }
        .banner.bad { border-color: var(--bad); }
        .answers { list-style: none; padding: 0; margin: 0; }
        .answers li + li { margin-top: 10px; }
        .answers ul { padding-left: 18px; margin: 2px 0 0; color: var(--muted); font-size: 14px; }
        .answers ul li + li { margin-top: 2px; }
        .advice { padding-left: 18px; }
        .muted { color: var(--muted); font-size: 14px; }
        nav ul { list-style: none; padding: 0; margin: 18px 0 0; display: flex; flex-wrap: wrap;
          gap: 4px 18px; font-size: 14px; }
        figure { margin: 20px 0 8px; }
        figcaption { font-size: 14px; color: var(--muted); margin-bottom: 8px; }
        figcaption strong { color: var(--ink); }
        .panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(400px, 100%), 1fr));
          gap: 18px 24px; margin-top: 14px; }
        .table { overflow-x: auto; margin: 14px 0; }
        table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
        th, td { text-align: left; padding: 5px 12px 5px 0; border-bottom: 1px solid var(--line);
          vertical-align: top; }
        th { color: var(--muted); font-weight: 600; vertical-align: bottom; }
        td.number, th.number { text-align: right; }
        td { white-space: nowrap; }
        section[id=environment] td { white-space: normal; }
        details { margin: 14px 0; }
        summary { cursor: pointer; color: var(--c0); font-size: 14px; }
        @media print { h2 { break-after: avoid; } figure { break-inside: avoid; } nav { display: none; } }

        """

    private static let drawings = """
        svg { display: block; width: 100%; height: auto; overflow: visible;
          font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
          font-variant-numeric: tabular-nums; }
        svg text { fill: var(--ink); }
        .middle { text-anchor: middle; } .end { text-anchor: end; }
        svg .tick, svg .axis { fill: var(--muted); font-size: 11px; }
        svg .heading { font-weight: 600; font-size: 12.5px; paint-order: stroke;
          stroke: var(--paper); stroke-width: 4px; }
        .grid { stroke: var(--grid); stroke-width: 1; }
        .zero { stroke: var(--muted); stroke-width: 1.25; }
        .divider { stroke: var(--muted); stroke-dasharray: 2 3; }
        .leader { stroke: var(--line); }
        .unseen { fill: var(--unseen); }
        .interval { stroke-width: 3.5; stroke-linecap: round; }
        .estimate { stroke-width: 2; }
        .better { stroke: var(--good); fill: var(--good); }
        .worse { stroke: var(--bad); fill: var(--bad); }
        .clear { stroke: var(--c); fill: var(--c); }
        .doubtful { stroke: var(--c); fill: var(--paper); }
        .same { stroke: var(--muted); fill: var(--paper); }
        .unclear { stroke: var(--warn); fill: var(--paper); }
        svg text.value { stroke: none; fill: var(--ink); }
        svg text.value.better { fill: var(--good); font-weight: 600; }
        svg text.value.worse { fill: var(--bad); font-weight: 600; }
        svg text.value.unclear { fill: var(--warn); }
        .s0 { --c: var(--c0); } .s1 { --c: var(--c1); } .s2 { --c: var(--c2); }
        .s3 { --c: var(--c3); } .s4 { --c: var(--c4); } .s5 { --c: var(--c5); }
        .s6 { --c: var(--c6); } .s7 { --c: var(--c7); }
        .line { stroke: var(--c); stroke-width: 2; fill: none; stroke-linejoin: round; }
        .dashed { stroke-dasharray: 5 4; }
        .band { fill: var(--c); opacity: 0.18; }
        .bar, .dot { fill: var(--c); }
        .sample { opacity: 0.75; }
        svg text.name { fill: var(--c); font-weight: 600; }
        .h0 { fill: var(--h0); } .h1 { fill: var(--h1); } .h2 { fill: var(--h2); }
        .h3 { fill: var(--h3); } .h4 { fill: var(--h4); } .h5 { fill: var(--h5); }
        .h6 { fill: var(--h6); } .h7 { fill: var(--h7); }
        .winner { stroke: var(--ink); stroke-width: 2; }
        svg text.cell { fill: var(--heat-ink); }
        svg text.best { font-weight: 700; }
        svg text.bad { fill: var(--bad); font-weight: 600; }
        svg text.none { fill: var(--muted); }
        .absent { fill: var(--panel); }
        .hatched { fill: url(#hatch); stroke: var(--line); }
        .hatch-line { stroke: var(--line); stroke-width: 2; }
        .density { fill: var(--c0); }
        .d0 { opacity: 0.16; } .d1 { opacity: 0.32; } .d2 { opacity: 0.48; } .d3 { opacity: 0.64; }
        .d4 { opacity: 0.82; }
        .event { stroke: var(--c1); stroke-width: 1.5; fill: none; }
        .pair { fill: var(--c0); stroke: var(--c0); stroke-width: 1.75; }
        .hollow { fill: var(--paper); }
        .running { stroke: var(--c1); stroke-width: 2; fill: none; }

        """
}
