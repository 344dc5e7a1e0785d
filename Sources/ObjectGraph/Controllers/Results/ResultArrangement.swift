import Foundation

/// The items of a list in order, with their sections. For comparing two lists as a whole.
struct ResultArrangement {
    private(set) var items: [ResultList.Item] = []
    private(set) var runs: [SectionRun] = []

    init() {}

    init(runs: [SectionRun]) { self.runs = runs }

    mutating func append(_ item: ResultList.Item, _ section: String) {
        items.append(item)
        runs.append(section)
    }

    /// The places of all items, in order.
    fileprivate var places: [(section: String, place: ResultChanges.Place)] {
        var places: [(section: String, place: ResultChanges.Place)] = []
        places.reserveCapacity(items.count)
        for (index, run) in runs.enumerated() {
            for item in 0..<run.count {
                places.append(
                    (
                        run.name,
                        ResultChanges.Place(
                            path: IndexPath(item: item, section: index), position: places.count)
                    ))
            }
        }
        return places
    }
}

extension ResultList {
    var arrangement: ResultArrangement { arrangement { _ in true } }

    /// The list before an event that could not be applied.
    func arrangement(
        before leavers: [(position: Int, item: Item, section: String)], without added: Set<Handle>
    ) -> ResultArrangement {
        let rest = arrangement { !added.contains($0) }
        var before = ResultArrangement()
        var index = 0
        let names = rest.runs.flatMap { Array(repeating: $0.name, count: $0.count) }
        func takeRest(until position: Int) {
            while index < rest.items.count, before.items.count < position {
                before.append(rest.items[index], names[index])
                index += 1
            }
        }
        for leaver in leavers {
            takeRest(until: leaver.position)
            before.append(leaver.item, leaver.section)
        }
        takeRest(until: .max)
        return before
    }

    private func arrangement(where isIncluded: (Handle) -> Bool) -> ResultArrangement {
        var names: [String] = []
        sections.forEach { handle, name in
            names += repeatElement(name, count: sections.weight(of: handle))
        }
        var arrangement = ResultArrangement(
            runs: hasSections ? [] : [SectionRun(name: "", count: 0)])
        var position = 0
        items.forEach { handle, item in
            if isIncluded(handle) { arrangement.append(item, names[position]) }
            position += 1
        }
        return arrangement
    }
}

extension ResultChanges {
    /// The difference of two lists.
    ///
    /// As many sections and items as possible keep their order. Items of a section that does not
    /// are moved.
    /// - Parameter changed: The objects to report as updated if they are not moved.
    init(
        from old: ResultArrangement, to new: ResultArrangement, _ changed: Set<RowIdentity>,
        _ order: ResultOrder
    ) {
        let keptSections = old.runs.map(\.name).keptElements(in: new.runs.map(\.name))
        for (index, run) in old.runs.enumerated() where !keptSections.contains(run.name) {
            deletedSections.append((index, run.name))
        }
        for (index, run) in new.runs.enumerated() where !keptSections.contains(run.name) {
            insertedSections.append((index, run.name))
        }
        let (oldPlaces, newPlaces) = (old.places, new.places)
        let (oldIDs, newIDs) = (
            old.items.map(RowIdentity.init), new.items.map(RowIdentity.init)
        )
        let positions = Dictionary(uniqueKeysWithValues: zip(newIDs, newIDs.indices))
        // Only items that stay in their section can be kept.
        let staying = Set(
            oldIDs.indices.filter { index in
                guard let position = positions[oldIDs[index]] else { return false }
                let section = oldPlaces[index].section
                return section == newPlaces[position].section && keptSections.contains(section)
            }.map { oldIDs[$0] })
        let kept = oldIDs.filter(staying.contains).keptElements(in: newIDs.filter(staying.contains))
        for (index, id) in oldIDs.enumerated() {
            let object = order.object(of: old.items[index])
            let place = oldPlaces[index].place
            guard let position = positions[id] else {
                deletes.append((object, place))
                continue
            }
            if !kept.contains(id) {
                moves.append((object, place, newPlaces[position].place))
            } else if changed.contains(id) {
                updates.append((object, place, newPlaces[position].place))
            }
        }
        let known = Set(oldIDs)
        for (index, id) in newIDs.enumerated() where !known.contains(id) {
            inserts.append((order.object(of: new.items[index]), newPlaces[index].place))
        }
    }
}

extension [Int] {
    /// The indexes of a longest subsequence that increases.
    var longestIncreasing: [Int] {
        // The ends of the best sequences of each length, and what comes before each element.
        var ends: [Int] = []
        var previous: [Int: Int] = [:]
        for index in indices {
            let length = ends.partitioningIndex { self[$0] >= self[index] }
            if length > 0 { previous[index] = ends[length - 1] }
            if length < ends.count { ends[length] = index } else { ends.append(index) }
        }
        var longest: [Int] = []
        var next = ends.last
        while let index = next {
            longest.append(index)
            next = previous[index]
        }
        return longest
    }
}

extension Array {
    /// The first index whose element fulfils a condition that holds for all elements from some
    /// index on.
    fileprivate func partitioningIndex(where isInSecond: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isInSecond(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension Array where Element: Hashable {
    /// As many elements as possible that have the same order in another array. Both have each
    /// element once.
    fileprivate func keptElements(in other: [Element]) -> Set<Element> {
        let positions = Dictionary(uniqueKeysWithValues: zip(self, indices))
        let common = other.filter { positions[$0] != nil }
        let kept = common.map { positions[$0]! }.longestIncreasing
        return Set(kept.map { common[$0] })
    }
}
