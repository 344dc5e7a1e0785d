import ArgumentParser
import RunRecords

/// A shard as it is typed: 2/3 is the second of three.
struct ShardNumber: ExpressibleByArgument, Hashable {
    let number: Int
    let count: Int

    init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int(parts[0]), let count = Int(parts[1]),
            Shard.isPossible(number, of: count)
        else { return nil }
        self.number = number
        self.count = count
    }
}
