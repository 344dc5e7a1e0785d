/// The cheapest path through a graph of versions (spec §9.7).
enum MigrationPath {
    /// How a store gets from one version to another.
    enum Edge: Sendable {
        /// By SQL in its own file.
        case inPlace
        /// Object by object into a new file.
        case mapped
    }

    /// The path with the fewest mapped edges, and of these the one with the fewest edges.
    ///
    /// - Parameters:
    ///   - start: The first node; nodes are numbers from 0 on.
    ///   - end: The last node.
    ///   - count: The number of nodes.
    ///   - edge: The edge between two nodes; nil if there is none. Called at most once for each
    ///     pair.
    /// - Returns: The nodes after the first one; nil if no path leads to the last one.
    static func cheapest(
        from start: Int, to end: Int, count: Int, edge: (Int, Int) -> Edge?
    ) -> [Int]? {
        // No path has more edges than there are nodes.
        func cost(_ edge: Edge) -> Int { edge == .mapped ? count + 1 : 1 }
        var costs = [start: 0]
        var previous: [Int: Int] = [:]
        var open = Set(0..<count)
        while let node = open.filter({ costs[$0] != nil }).min(by: {
            (costs[$0]!, $0) < (costs[$1]!, $1)
        }), node != end {
            open.remove(node)
            for next in open.sorted() {
                guard let found = edge(node, next) else { continue }
                let sum = costs[node]! + cost(found)
                guard sum < costs[next] ?? .max else { continue }
                costs[next] = sum
                previous[next] = node
            }
        }
        guard costs[end] != nil else { return nil }
        var path: [Int] = []
        var node = end
        while node != start {
            path.append(node)
            node = previous[node]!
        }
        return path.reversed()
    }
}
