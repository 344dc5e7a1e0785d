import Foundation

// Following an event: which objects keep their place, which move, and where to (spec §10.2).
//
// *Anchors* are the objects that the event leaves where they are: those it does not concern, and
// those whose sort values it did not change. All others are taken out, and placed among the anchors
// by binary search. A *gap* is a place between two anchors, counted from 0. An object that returns
// to its own gap and keeps its order among the others there was updated; one that does not moved.
extension ResultList {
    /// Where an object was before the event.
    private struct Origin {
        let handle: Handle
        let place: ResultChanges.Place
        let section: SectionHandle
        var gap = 0
    }

    /// An object that the event places.
    private struct Mover {
        let member: ResultEvent.Member
        let origin: Origin?
        var gap = 0
        var isKept = false
        var handle: Handle?
    }

    /// A new section whose name another one has, which must therefore become empty.
    private struct Claim {
        let object: ManagedObject
        let name: String
        let earlier: SectionHandle
    }

    /// What an event has done to a list.
    enum Outcome {
        case changed(ResultChanges)

        /// A section would be in two parts. The list is no longer valid; it was so before.
        case disordered(ResultArrangement)
    }

    /// Applies an event. If it throws, the list is no longer valid.
    ///
    /// Cost: O(c log n) for c objects, and about log₂ n statements if the rows of anchors must be
    /// read.
    /// - Throws: `StoreError` if rows cannot be read.
    mutating func apply(_ event: ResultEvent, by order: ResultOrder) throws -> Outcome {
        var changes = ResultChanges()
        var anchored: [(Origin, ManagedObject)] = []
        var leaving: [(origin: Origin, member: ResultEvent.Member?)] = []
        for handle in event.gone { leaving.append((origin(of: handle), nil)) }
        for (handle, member) in event.changed {
            let item = items[handle]
            if item.stamp != nil, item.stamp == member.stamp {
                anchored.append((origin(of: handle), member.object))
            } else {
                leaving.append((origin(of: handle), member))
            }
        }
        leaving.sort { $0.origin.place.position < $1.origin.place.position }
        var movers = event.arrived.map { Mover(member: $0, origin: nil) }
        for (index, (leaver, member)) in leaving.enumerated() {
            var origin = leaver
            origin.gap = origin.place.position - index
            if let member {
                movers.append(Mover(member: member, origin: origin))
            } else {
                changes.deletes.append((order.object(of: items[origin.handle]), origin.place))
            }
        }
        let leavers = leaving.map { origin, _ in
            (origin.place.position, items[origin.handle], sections[origin.section])
        }
        for (origin, _) in leaving {
            remove(origin.handle)
            sections.addWeight(-1, to: origin.section)
        }
        try findGaps(of: &movers, by: order)
        let added: [SectionHandle]
        do {
            added = try insert(&movers, by: order)
        } catch {
            let placed = Set(movers.compactMap(\.handle))
            return .disordered(arrangement(before: leavers, without: placed))
        }
        removeEmptySections(leaving.map(\.origin), &changes)
        for section in added {
            changes.insertedSections.append((sections.position(of: section), sections[section]))
        }
        changes.insertedSections.sort { $0.index < $1.index }
        for mover in movers {
            let (object, new) = (mover.member.object, place(of: mover.handle!))
            guard let old = mover.origin?.place else {
                changes.inserts.append((object, new))
                continue
            }
            if mover.isKept {
                changes.updates.append((object, old, new))
            } else {
                changes.moves.append((object, old, new))
            }
        }
        for (origin, object) in anchored {
            changes.updates.append((object, origin.place, place(of: origin.handle)))
        }
        changes.moves.sort { $0.old.position < $1.old.position }
        changes.updates.sort { $0.old.position < $1.old.position }
        return .changed(changes)
    }

    private func origin(of handle: Handle) -> Origin {
        let place = place(of: handle)
        return Origin(
            handle: handle, place: place,
            section: sections.location(ofWeight: place.position).handle)
    }

    // MARK: - Gaps

    /// Finds the gap of each object. An object that fits into its own gap stays there. The searches
    /// of all objects advance together, so that each step reads its rows in one statement.
    private func findGaps(of movers: inout [Mover], by order: ResultOrder) throws {
        var searches = movers.map { _ in 0..<items.count }
        let gaps = movers.compactMap(\.origin?.gap)
        let neighbours = try anchors(at: gaps.flatMap { [$0 - 1, $0] }, order)
        for (index, mover) in movers.enumerated() {
            guard let gap = mover.origin?.gap else { continue }
            let object = mover.member.object
            if let before = neighbours[gap - 1], order.compare(before, object) > 0 {
                searches[index] = 0..<gap - 1
            } else if let after = neighbours[gap], order.compare(object, after) > 0 {
                searches[index] = gap + 1..<items.count
            } else {
                searches[index] = gap..<gap
            }
        }
        var open = Array(searches.indices)
        while true {
            open.removeAll { searches[$0].isEmpty }
            if open.isEmpty { break }
            let middles = try anchors(at: open.map { searches[$0].middle }, order)
            for index in open {
                let (search, middle) = (searches[index], searches[index].middle)
                let isAfter = order.compare(middles[middle]!, movers[index].member.object) <= 0
                searches[index] =
                    isAfter ? middle + 1..<search.upperBound : search.lowerBound..<middle
            }
        }
        for index in movers.indices { movers[index].gap = searches[index].lowerBound }
        movers.sort { first, second in
            if first.gap != second.gap { return first.gap < second.gap }
            let comparison = order.compare(first.member.object, second.member.object)
            if comparison != 0 { return comparison < 0 }
            return first.origin?.place.position ?? .max < second.origin?.place.position ?? .max
        }
    }

    /// The objects at these positions, as far as there are such, with their rows.
    private func anchors(
        at positions: [Int], _ order: ResultOrder
    ) throws -> [Int: ManagedObject] {
        var found: [Int: ManagedObject] = [:]
        for position in positions where (0..<items.count).contains(position) {
            if found[position] != nil { continue }
            found[position] = order.object(of: items[items.handle(at: position)])
        }
        try order.context.load(Array(found.values), order.entity)
        return found
    }

    // MARK: - Sections

    /// Inserts the objects, which are sorted, gap by gap.
    ///
    /// - Returns: The sections that were added.
    private mutating func insert(
        _ movers: inout [Mover], by order: ResultOrder
    ) throws(FetchedResultsError) -> [SectionHandle] {
        var added: [SectionHandle] = []
        var claims: [Claim] = []
        var start = 0
        while start < movers.count {
            let gap = movers[start].gap
            let end = movers[start...].firstIndex { $0.gap != gap } ?? movers.count
            keepLongestOrder(&movers[start..<end])
            // The gap and the number of objects inserted so far.
            let position = gap + start
            let runs = try assignSections(
                movers[start..<end], at: position, by: order, &added, &claims)
            var index = start
            for (section, count) in runs {
                for _ in 0..<count {
                    let member = movers[index].member
                    movers[index].handle = insert(
                        member.object, stamp: member.stamp, at: gap + index)
                    index += 1
                }
                sections.addWeight(count, to: section)
            }
            start = end
        }
        for claim in claims where sections.weight(of: claim.earlier) > 0 {
            throw FetchedResultsError.outOfOrderSection(
                name: claim.name, first: firstObject(of: claim.earlier, order),
                second: claim.object.objectID)
        }
        return added
    }

    /// Marks as kept the most objects of a gap that came from it, have their section still, and are
    /// in their old order.
    private func keepLongestOrder(_ movers: inout ArraySlice<Mover>) {
        let candidates = movers.indices.filter { index in
            guard let origin = movers[index].origin else { return false }
            return origin.gap == movers[index].gap
                && sections[origin.section] == movers[index].member.section
        }
        let old = candidates.map { movers[$0].origin!.place.position }
        for index in old.longestIncreasing { movers[candidates[index]].isKept = true }
    }

    /// Finds or makes the section of each run of objects with one name.
    private mutating func assignSections(
        _ movers: ArraySlice<Mover>, at position: Int, by order: ResultOrder,
        _ added: inout [SectionHandle], _ claims: inout [Claim]
    ) throws(FetchedResultsError) -> [(section: SectionHandle, count: Int)] {
        guard hasSections else { return [(sectionHandles[""]!, movers.count)] }
        let left = position > 0 ? sections.location(ofWeight: position - 1).handle : nil
        let right = position < items.count ? sections.location(ofWeight: position).handle : nil
        var runs: [(section: SectionHandle, count: Int)] = []
        var previous = left
        var start = movers.startIndex
        while start < movers.endIndex {
            let first = movers[start].member
            let name = first.section
            let end =
                movers[start...].firstIndex { $0.member.section != name } ?? movers.endIndex
            let section: SectionHandle
            if let left, runs.isEmpty, sections[left] == name {
                section = left
            } else if let right, end == movers.endIndex, sections[right] == name {
                section = right
            } else if let left, left == right {
                throw FetchedResultsError.outOfOrderSection(
                    name: sections[left], first: firstObject(of: left, order),
                    second: order.objectID(of: items.handle(at: position), self))
            } else if let kept = movers[start..<end].first(where: \.isKept)?.origin?.section,
                lies(kept, after: previous, before: right)
            {
                section = kept
            } else {
                let pinned = movers[end...].first(where: \.isKept)?.origin?.section
                section =
                    emptySection(name, after: previous, before: pinned ?? right)
                    ?? addSection(first, after: previous, &added, &claims)
            }
            runs.append((section, end - start))
            previous = section
            start = end
        }
        return runs
    }

    /// A section that the event has emptied, if it lies between these two.
    private func emptySection(
        _ name: String, after previous: SectionHandle?, before next: SectionHandle?
    ) -> SectionHandle? {
        guard let section = sectionHandles[name], sections.weight(of: section) == 0,
            lies(section, after: previous, before: next)
        else { return nil }
        return section
    }

    private func lies(
        _ section: SectionHandle, after previous: SectionHandle?, before next: SectionHandle?
    ) -> Bool {
        let position = sections.position(of: section)
        if let previous, sections.position(of: previous) >= position { return false }
        if let next, sections.position(of: next) <= position { return false }
        return true
    }

    private mutating func addSection(
        _ member: ResultEvent.Member, after previous: SectionHandle?,
        _ added: inout [SectionHandle], _ claims: inout [Claim]
    ) -> SectionHandle {
        let name = member.section
        if let earlier = sectionHandles[name] {
            claims.append(Claim(object: member.object, name: name, earlier: earlier))
        }
        let position = previous.map { sections.position(of: $0) + 1 } ?? 0
        let section = sections.insert(name, weight: 0, at: position)
        sectionHandles[name] = section
        added.append(section)
        return section
    }

    private mutating func removeEmptySections(
        _ origins: [Origin], _ changes: inout ResultChanges
    ) {
        guard hasSections else { return }
        var removed: Set<SectionHandle> = []
        for origin in origins
        where !removed.contains(origin.section) && sections.weight(of: origin.section) == 0 {
            let name = sections[origin.section]
            if sectionHandles[name] == origin.section { sectionHandles[name] = nil }
            sections.remove(origin.section)
            removed.insert(origin.section)
            changes.deletedSections.append((origin.place.path.section, name))
        }
    }

    private func firstObject(
        of section: SectionHandle, _ order: ResultOrder
    ) -> ManagedObjectID {
        order.objectID(of: items.handle(at: sections.weight(before: section)), self)
    }
}

extension ResultOrder {
    func objectID(of handle: ResultList.Handle, _ list: ResultList) -> ManagedObjectID {
        let item = list.items[handle]
        return objectID(of: item.key, item.storeNumber)
    }
}

extension Range<Int> {
    /// The middle of a range that is not empty.
    fileprivate var middle: Int { (lowerBound + upperBound) / 2 }
}
