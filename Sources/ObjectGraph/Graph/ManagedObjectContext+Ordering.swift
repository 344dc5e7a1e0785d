// The places of the members of ordered relationships, kept as numbers with gaps (spec §8.3).
extension ManagedObjectContext {
    /// The number of the first member, and the distance to the next.
    private static var firstPlace: Int64 { 2048 }
    private static var placeStep: Int64 { 1024 }

    /// Gives the members of the ordered relationships that changed in this event numbers in their order; those that have
    /// one that fits keep it.
    func assignPlaces() {
        // The list grows: members that get another place have changed.
        var position = 0
        while position < eventList.count {
            let object = eventList[position]
            position += 1
            guard !object.state.contains(.deleted) else { continue }
            for index in object.binding.entity.orderedIndexes
            where object.contents?.relationships[index]?.needsPlaces == true {
                let property = object.binding.entity.properties[index]
                guard let placeIndex = property.relationship?.placeIndex else { continue }
                assignPlaces(to: object.orderedDestinations(of: property), placeIndex)
                object.contents!.relationships[index]!.needsPlaces = false
            }
        }
    }

    private func assignPlaces(to members: [ManagedObject], _ placeIndex: Int) {
        let places = Self.places(for: members.map { $0.place(at: placeIndex) })
        for (member, place) in zip(members, places) where member.place(at: placeIndex) != place {
            member.setAttribute(.integer(place), at: placeIndex)
        }
    }

    /// Rising numbers for a list of members, the old ones where they rise already and leave room.
    static func places(for old: [Int64?]) -> [Int64] {
        let kept = risingPositions(in: old)
        var places = Array(repeating: Int64(0), count: old.count)
        var position = 0
        var least = firstPlace - placeStep
        // What comes before the first number that stays may lead below the usual start.
        if let first = kept.first, old[first]! <= least {
            least = old[first]! - Int64(first + 1) * placeStep
        }
        for next in kept + [old.count] {
            let gap = Int64(next - position)
            let step: Int64
            if next == old.count {
                step = placeStep
            } else {
                step = (old[next]! - least) / (gap + 1)
                // No whole number is left between two neighbours: all are spread anew.
                if gap > 0, step == 0 { return Self.places(for: old.map { _ in nil }) }
            }
            for place in position..<next {
                least += step
                places[place] = least
            }
            if next < old.count {
                places[next] = old[next]!
                least = old[next]!
            }
            position = next + 1
        }
        return places
    }

    /// The positions of the longest run of numbers that rise, leaving others out.
    private static func risingPositions(in numbers: [Int64?]) -> [Int] {
        // For each length, the position of the smallest number that ends a run of it.
        var ends: [Int] = []
        var previous = Array(repeating: -1, count: numbers.count)
        for (position, number) in numbers.enumerated() {
            guard let number else { continue }
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if numbers[ends[middle]]! < number { low = middle + 1 } else { high = middle }
            }
            previous[position] = low > 0 ? ends[low - 1] : -1
            if low == ends.count { ends.append(position) } else { ends[low] = position }
        }
        var run: [Int] = []
        var position = ends.last ?? -1
        while position >= 0 {
            run.append(position)
            position = previous[position]
        }
        return run.reversed()
    }

    /// Additions to join tables for the ordered relationships of an object that changed, with the place of each member.
    func placedJoins(of object: ManagedObject) -> [JoinChange] {
        object.binding.entity.orderedIndexes.flatMap { index -> [JoinChange] in
            let property = object.binding.entity.properties[index]
            guard object.contents?.relationships[index]?.isReordered == true,
                property.relationship?.isInJoinTable == true
            else { return [] }
            return object.orderedDestinations(of: property).enumerated().map { position, member in
                JoinChange(
                    property: property, entity: object.binding.entity,
                    sourceKey: object.reference, destinationEntity: member.binding.entity,
                    destinationKey: member.reference, isInsertion: true,
                    place: Self.firstPlace + Int64(position) * Self.placeStep)
            }
        }
    }

    // MARK: - From a child context

    /// Sorts the members of ordered relationships whose places a child has changed.
    func reorder(after plan: SavePlan, storeNumber: Int) {
        guard model.hasOrderedRelationships else { return }
        reorderOwners(ofRows: plan.rows, storeNumber: storeNumber)
        let placed = Dictionary(grouping: plan.joins.filter { $0.place != nil }) {
            JoinOwner(entity: $0.entity.index, key: $0.sourceKey, property: $0.property.index)
        }
        for (owner, joins) in placed {
            // The child has numbered all members that it knows; others keep their order behind them.
            let owned = object(owner.key, entityIndex: owner.entity, storeNumber: storeNumber)
            let places = Dictionary(
                joins.map { ($0.destinationKey, $0.place!) }, uniquingKeysWith: { $1 })
            let members = owned.orderedDestinations(of: joins[0].property)
            let sorted = members.enumerated().sorted {
                (places[$0.element.reference] ?? .max, $0.offset)
                    < (places[$1.element.reference] ?? .max, $1.offset)
            }
            owned.reorder(sorted.map(\.element), of: joins[0].property)
        }
    }

    private struct JoinOwner: Hashable {
        let entity: Int
        let key: Int64
        let property: Int
    }

    private func reorderOwners(ofRows changes: [RowChange], storeNumber: Int) {
        var owners: Set<JoinNote> = []
        for change in changes where change.kind != .delete {
            for property in change.entity.properties where property.kind == .toOne {
                guard let inverse = model.inverse(of: property.relationship!),
                    let placeIndex = inverse.relationship?.placeIndex,
                    change.kind == .insert || change.changes.contains(placeIndex)
                else { continue }
                let member = object(
                    change.key, entityIndex: change.entity.index, storeNumber: storeNumber)
                guard let owner = member.destination(of: property) else { continue }
                owners.insert(
                    JoinNote(source: owner, destination: owner, propertyIndex: inverse.index))
            }
        }
        for owner in owners {
            let property = owner.source.binding.entity.properties[owner.propertyIndex]
            let placeIndex = property.relationship!.placeIndex!
            let members = owner.source.orderedDestinations(of: property).sorted {
                $0.place(at: placeIndex) ?? .max < $1.place(at: placeIndex) ?? .max
            }
            owner.source.reorder(members, of: property)
        }
    }
}

extension ManagedObject {
    fileprivate final func place(at index: Int) -> Int64? {
        attributeValue(of: binding.entity.properties[index]).integer
    }
}
