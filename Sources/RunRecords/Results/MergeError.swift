import Measuring

/// Why runs cannot be merged.
public enum MergeError: Error, Hashable {
    /// The run was not made with `--shard`.
    case notAShard(path: String)
    case unfinished(path: String, RunState)
    /// A thing that must be the same in all shards.
    case differs(Trait, paths: [String])
    /// Shards that were not given.
    case missing([Int], of: Int)
    /// Two runs of one shard.
    case twice(Int, paths: [String])
    /// A cell that no shard has, or that two shards have.
    case notOnce(workload: String, cell: String)
    /// Runs of different days without a comparison that all have.
    case nothingInCommon(paths: [String])

    public enum Trait: Hashable, Sendable {
        case shardCount, seed, commit, build, swiftVersion, sqlite, allocator, dataset
        /// A workload with other cells, questions or rules, or one that not all have.
        case workload(String)
        /// A question, by "workload.question", with another metric or other bounds.
        case question(String)
    }
}

extension MergeError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notAShard(let path):
            "\(path) is not a shard of a run; make shards with bench run --shard 1/3 and so on"
        case .unfinished(let path, let state):
            "\(path) is \(state.rawValue), not completed; go on with bench run --resume \(path)"
        case .differs(let trait, let paths):
            "\(paths.joined(separator: " and ")) \(trait.sentence)"
        case .missing(let numbers, let count):
            "of \(count) shards, \(numbers.map(String.init).listed) "
                + (numbers.count == 1 ? "is" : "are") + " missing; name the folders of all shards"
        case .twice(let number, let paths):
            "\(paths.joined(separator: " and ")) are both shard \(number); name one of them"
        case .notOnce(let workload, let cell):
            "the cell \(cell) of \(workload) is not in exactly one shard; "
                + "run all shards again with one build of bench"
        case .nothingInCommon(let paths):
            "\(paths.listed) have no comparison in common; name runs of the same questions"
        }
    }
}

extension MergeError.Trait {
    fileprivate var sentence: String {
        switch self {
        case .shardCount: "are shards of different counts; use the same n in --shard i/n"
        case .seed: "have different seeds; give all shards the same --seed"
        case .commit: "are of different commits; build all shards from one commit"
        case .build: "are of different builds; use a release build for all shards"
        case .swiftVersion: "are of different versions of Swift; use one for all shards"
        case .sqlite:
            "are of different SQLites or of one with other options; use one for all shards"
        case .allocator: "have different allocators; use one for all shards"
        case .dataset: "have different data; fetch the same data set on all machines"
        case .workload(let name):
            "plan the workload \(name) differently; give all shards the same files and options"
        case .question(let id):
            "ask \(id) with another metric or other bounds; name runs of the same files"
        }
    }
}
