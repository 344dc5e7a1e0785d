import Measuring
import Reports

// A load in a workload file:
//
//     mix:
//       - { operation: update, weight: 20, keys: zipfian, skew: 0.99 }
//       - { operation: read, weight: 80, keys: latest }
//     phases:
//       - { mode: warm-up, seconds: 1 }
//       - { mode: closed, seconds: 5 }
//       - { mode: open, seconds: 5, rate: 60%, arrival: poisson }
//     checks: [rows, lostUpdates, staleReads, undeliveredMerges]
extension LoadPlan {
    init(reading entries: ConfigurationMapping) throws {
        mix = try entries.required("mix").list().map(Part.init)
        let operations = mix.map(\.operation)
        if let twice = LoadOperation.allCases.first(where: { operation in
            operations.filter { $0 == operation }.count > 1
        }) {
            throw try entries.required("mix").error("\(twice.rawValue) appears twice")
        }
        phases = []
        for node in try entries.required("phases").list() {
            let phase = try LoadPhase(reading: node)
            if case .open(.shareOfCapacity, _) = phase.mode,
                !phases.contains(where: { $0.mode == .closed })
            {
                throw node.error("a rate in percent needs a warm-up or closed phase before it")
            }
            phases.append(phase)
        }
        guard phases.contains(where: \.isRecorded) else {
            throw try entries.required("phases").error("needs a closed or an open phase")
        }
        checks = Set(
            try entries["checks"]?.distinct { try $0.choice("check") } ?? LoadCheck.allCases)
    }

    /// Checks that each client of each cell has an operation to do and a row of its own.
    func check(_ cells: [Cell], _ document: ConfigurationNode) throws {
        func count(_ parameter: String, _ cell: Cell) -> Int { Int(cell.parameters[parameter]!)! }
        for cell in cells {
            let writers = count("writers", cell)
            let readers = count("readers", cell)
            let problem: String? =
                if writers > 0, !hasOperations(isWriter: true) {
                    "the mix has no operation for writers; add one, or set writers to 0"
                } else if readers > 0, !hasOperations(isWriter: false) {
                    "the mix has no operation for readers; add one, or set readers to 0"
                } else if writers + readers == 0 {
                    "a cell has neither writers nor readers; exclude it"
                } else if count("rows", cell) < max(writers, readers) {
                    "each writer and each reader needs a row of its own; raise rows"
                } else {
                    nil
                }
            if let problem { throw document.error(problem) }
        }
    }
}

extension LoadPlan.Part {
    fileprivate init(reading node: ConfigurationNode) throws {
        let entries = try node.mapping(allowing: ["operation", "weight", "keys", "skew"])
        operation = try entries.required("operation").choice("operation")
        weight = try entries["weight"]?.number(in: 1e-6...1e6) ?? 1
        keys = KeyDistribution(.uniform)
        if let node = entries["keys"] ?? entries["skew"], !operation.takesKeys {
            throw node.error(
                "the operation \(operation.rawValue) has no keys; remove keys and skew")
        }
        if let node = entries["keys"] { keys.shape = try node.choice("distribution") }
        if let node = entries["skew"] {
            guard keys.shape == .zipfian || keys.shape == .latest else {
                throw node.error("only the distributions zipfian and latest have a skew")
            }
            keys.skew = try node.number(in: 0...5)
        }
    }
}

extension LoadPhase {
    fileprivate init(reading node: ConfigurationNode) throws {
        let entries = try node.mapping(allowing: [
            "mode", "seconds", "operations", "rate", "arrival",
        ])
        let mode = try entries.required("mode").choice("mode", of: ["warm-up", "closed", "open"])
        let extent: Extent
        switch (entries["seconds"], entries["operations"]) {
        case (let seconds?, nil): extent = .seconds(try seconds.number(in: 0.01...86_400))
        case (nil, let operations?):
            extent = .operations(try operations.integer(in: 1...1_000_000_000))
        default: throw node.error("a phase needs either seconds or operations")
        }
        guard mode == "open" else {
            if let node = entries["rate"] ?? entries["arrival"] {
                throw node.error("only an open phase has a rate and an arrival")
            }
            self.init(.closed, extent, isRecorded: mode == "closed")
            return
        }
        let arrivals: ArrivalProcess = try entries["arrival"]?.choice("arrival") ?? .poisson
        self.init(.open(try Rate(reading: entries.required("rate")), arrivals), extent)
    }
}

extension LoadPhase.Rate {
    fileprivate init(reading node: ConfigurationNode) throws {
        let text = try node.string()
        guard text.hasSuffix("%") else {
            self = .perSecond(try node.number(in: 0.001...10_000_000))
            return
        }
        guard let percent = Double(text.dropLast()), percent > 0, percent <= 1_000 else {
            throw node.error(
                "\(text) is neither operations per second nor a percentage of the capacity")
        }
        self = .shareOfCapacity(percent / 100)
    }
}
