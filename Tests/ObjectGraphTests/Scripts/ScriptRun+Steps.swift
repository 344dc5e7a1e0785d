@testable import ObjectGraph

// The steps, each run on a context and on the reference.
extension ScriptRun {
    func perform(_ step: Script.Step, in level: Int) throws {
        let numbers = step.numbers
        func object(_ position: Int, _ isWanted: (ReferenceGraph.Entity) -> Bool) -> Int? {
            let all = reference.entities.indices.filter {
                isWanted(reference.entities[$0]) && reference.isUsable($0, in: level)
            }
            return all.isEmpty ? nil : all[numbers[position] % all.count]
        }
        switch step.kind {
        case .insert:
            let entity = ReferenceGraph.Entity.allCases[numbers[1] % 5]
            let number = reference.insert(entity, in: level)
            try on(level) {
                let object = try self.contexts[level].insertObject(entityName: entity.rawValue)
                self.hold(object, number, level)
                if entity == .group { try object.setValue("group", forKey: "text") }
            }
            if entity == .group { reference.set("text", of: number, to: .text("group"), in: level) }
        case .setNumber:
            guard let target = object(1, { _ in true }) else { return }
            try set("number", of: target, to: .integer(Int64(numbers[2] % 5)), in: level)
        case .setText:
            guard let target = object(1, { _ in true }) else { return }
            let value = numbers[2] % 4
            try set("text", of: target, to: value == 0 ? .null : .text("\(value)"), in: level)
        case .setOwner:
            if reference.isOrdered { renew(level) }
            guard let target = object(1, \.isItem) else { return }
            let owner = numbers[3] % 4 == 0 ? nil : object(2) { $0 == .person }
            try setDestination("owner", of: target, to: owner, in: level)
        case .arrange:
            renew(level)
            guard let person = object(1, { $0 == .person }) else { return }
            let items = rearranged(
                reference.items(of: person, in: level), with: object(2, \.isItem),
                by: numbers[3])
            try arrange(items, of: person, in: level)
        case .setCard:
            guard let target = object(1, { $0 == .person }) else { return }
            let card = numbers[3] % 4 == 0 ? nil : object(2) { $0 == .card }
            try setDestination("card", of: target, to: card, in: level)
        case .addPair, .removePair:
            guard let person = object(1, { $0 == .person }), let group = object(2, { $0 == .group })
            else { return }
            renew(level)
            // A child notices late that an object is gone above its parent.
            if reference.levels[level].parent != nil {
                guard reference.isUndisputed(person, in: level),
                    reference.isUndisputed(group, in: level)
                else { return }
            }
            let isAddition = step.kind == .addPair
            let pair = ReferenceGraph.Pair(person: person, group: group)
            // An addition of a member is noted unless the members have been read.
            let isVain = reference.hasPair(pair, in: level) == isAddition
            if isVain {
                guard reference.isUndisputed(person, in: level) else { return }
                reference.realise(person, in: level)
            }
            try both {
                $0.setPair(pair, isAddition: isAddition, in: level)
            } engine: {
                try self.on(level) {
                    let (person, group) = (self.engine(person, level), self.engine(group, level))
                    if isVain { _ = try person.value(forKey: "groups") }
                    if isAddition {
                        person.add(group, to: ScriptSchema.groups)
                    } else {
                        person.remove(group, from: ScriptSchema.groups)
                    }
                }
            }
        case .delete:
            renew(level)
            guard let target = object(1, { _ in true }) else { return }
            try both {
                $0.delete(target, in: level)
                $0.endEvent(in: level)
            } engine: {
                try self.on(level) {
                    self.contexts[level].delete(self.engine(target, level))
                    self.contexts[level].processPendingChanges()
                }
            }
        case .save: try save(level)
        case .rollback:
            try both {
                $0.rollback(level)
            } engine: {
                try self.on(level) { self.contexts[level].rollback() }
            }
        case .refresh:
            guard let target = object(1, { _ in true }) else { return }
            let merges = numbers[2] % 2 == 0
            try both {
                $0.refresh(target, mergingChanges: merges, in: level)
            } engine: {
                try self.on(level) {
                    self.contexts[level].refresh(self.engine(target, level), mergeChanges: merges)
                }
            }
        case .refreshAll: renew(level)
        case .merge: try merge(numbers[1], into: level)
        case .read:
            guard let target = object(1, { _ in true }) else { return }
            reference.realise(target, in: level)
            try on(level) { try self.compare(target, in: level) }
        case .fetch: try fetch(numbers[1], in: level)
        case .obtainIDs: try obtainIDs(level)
        case .pin: try pinObserver(numbers[1])
        case .look: try compareObserver(numbers[1])
        case .endEvent:
            try both {
                $0.endEvent(in: level)
            } engine: {
                try self.on(level) { self.contexts[level].processPendingChanges() }
            }
        case .undo, .redo:
            guard reference.levels[level].hasUndo else { return }
            renew(level)
            let isUndo = step.kind == .undo
            try both {
                if isUndo { $0.undo(in: level) } else { $0.redo(in: level) }
            } engine: {
                try self.on(level) {
                    if isUndo { self.contexts[level].undo() } else { self.contexts[level].redo() }
                }
            }
        }
        try on(level) { try self.compareChanges(in: level) }
    }

    /// Runs the same step on both sides, unless its result in the reference is unclear.
    private func both(
        _ change: (inout ReferenceGraph) -> Void, engine: () throws -> Void
    ) throws {
        var changed = reference
        change(&changed)
        guard !changed.isUnclear else { return }
        reference = changed
        try engine()
    }

    private func set(
        _ key: String, of object: Int, to value: ReferenceGraph.Value, in level: Int
    ) throws {
        try both {
            $0.set(key, of: object, to: value, in: level)
        } engine: {
            try self.on(level) {
                let object = self.engine(object, level)
                switch value {
                case .integer(let number): try object.setValue(number, forKey: key)
                case .text(let text): try object.setValue(text, forKey: key)
                default: try object.setValue(nil, forKey: key)
                }
            }
        }
    }

    private func setDestination(
        _ key: String, of object: Int, to destination: Int?, in level: Int
    ) throws {
        // The effect of later events on an order depends on when it was read.
        let endsEvent = reference.isOrdered && key == "owner"
        try both {
            $0.setDestination(key, of: object, to: destination, in: level)
            if endsEvent { $0.endEvent(in: level) }
        } engine: {
            try self.on(level) {
                let destination = destination.map { self.engine($0, level) }
                try self.engine(object, level).setValue(destination, forKey: key)
                if endsEvent { self.contexts[level].processPendingChanges() }
            }
        }
    }

    /// The list after appending, inserting, moving or removing the item, or another list.
    private func rearranged(_ items: [Int], with item: Int?, by number: Int) -> [Int] {
        let others = items.filter { $0 != item }
        guard let item else { return others }
        let place = number / 5 % (others.count + 1)
        return switch number % 5 {
        case 0: others
        case 1: others + [item]
        case 2: [item] + others[place...].reversed()
        default: others[..<place] + [item] + others[place...]
        }
    }

    private func arrange(_ items: [Int], of person: Int, in level: Int) throws {
        try both {
            $0.arrange(items, of: person, in: level)
            if $0.isOrdered { $0.endEvent(in: level) }
        } engine: {
            try self.on(level) {
                let items = items.map { self.engine($0, level) }
                try self.engine(person, level).setValue(items, forKey: "items")
                if self.reference.isOrdered { self.contexts[level].processPendingChanges() }
                if self.reference.isUndisputed(person, in: level) {
                    try self.compareContents(of: person, in: level)
                }
            }
        }
    }

    /// Refreshes all objects in the context and its ancestors, topmost first.
    func renew(_ level: Int) {
        var chain = [level]
        while let parent = reference.levels[chain[0]].parent { chain.insert(parent, at: 0) }
        for level in chain {
            reference.refreshAll(level)
            contexts[level].performAndWait { self.contexts[level].refreshAllObjects() }
        }
    }

    private func save(_ level: Int) throws {
        // The parent then has the newest pairs, and notices which of them the child changes.
        if let parent = reference.levels[level].parent,
            reference.levels[parent].hasUndo || reference.isOrdered
                || !reference.levels[level].deleted.isEmpty
        {
            renew(parent)
        }
        var changed = reference
        let expected = changed.save(level)
        guard !changed.isUnclear else { return }
        let parent = reference.levels[level].parent
        reference = changed
        posted[level].changes = nil
        for number in reference.entities.indices { _ = held[level][number] }
        let outcome: ReferenceGraph.SaveOutcome = try on(level) {
            let inserted = self.insertedNumbers(level)
            do {
                try self.contexts[level].save()
            } catch SaveError.validation {
                return .invalid
            } catch SaveError.mergeConflicts {
                return .conflict
            } catch SaveError.unknownObjects {
                return .unknownObjects
            }
            self.noteIDs(inserted, level)
            guard let changes = self.posted[level].changes else { return .nothing }
            let saved = ReferenceGraph.SaveOutcome.saved(self.numbers(of: changes))
            // A save without changes posts none.
            return expected == .nothing && saved == .saved(SavedObjects()) ? .nothing : saved
        }
        try require(outcome == expected, "saved \(outcome), should be \(expected)")
        guard case .saved(let objects) = outcome else { return }
        saves.append((level, objects))
        guard let parent else { return try compareReferences() }
        // This records their identifiers in the parent.
        try on(parent) { for number in objects.inserted { _ = self.engine(number, parent) } }
        try on(parent) { try self.compareChanges(in: parent) }
    }

    private func merge(_ position: Int, into level: Int) throws {
        let candidates = saves.filter {
            $0.level != level && reference.levels[$0.level].parent == reference.levels[level].parent
        }
        guard !candidates.isEmpty else { return }
        let saved = candidates[position % candidates.count].objects
        try both {
            $0.merge(saved, into: level)
        } engine: {
            try self.on(level) {
                for number in saved.deleted { _ = self.engine(number, level) }
                func ids(_ numbers: Set<Int>) -> [ManagedObjectID] { numbers.map { self.ids[$0]! } }
                self.contexts[level].mergeChanges(
                    ObjectChanges(
                        inserted: ids(saved.inserted), updated: ids(saved.updated),
                        deleted: ids(saved.deleted)))
            }
        }
    }

    private func obtainIDs(_ level: Int) throws {
        try on(level) {
            let inserted = self.insertedNumbers(level)
            try self.contexts[level].obtainPermanentIDs(for: Array(inserted.keys))
            self.noteIDs(inserted, level)
            try self.require(
                inserted.keys.allSatisfy { !$0.objectID.isTemporaryID },
                "temporary identifiers remain")
        }
    }

    private func fetch(_ choice: Int, in level: Int) throws {
        let (name, family): (String, Set<ReferenceGraph.Entity>) = [
            ("Person", [.person]), ("Item", [.item, .box]), ("Box", [.box]), ("Card", [.card]),
            ("Group", [.group]),
        ][choice % 5]
        let number = choice % 3 == 0 ? nil : Int64(choice % 4)
        var changed = reference
        let expected = changed.fetch(family, number: number, in: level)
        guard !changed.isUnclear else { return }
        reference = changed
        try on(level) {
            let request = try FetchRequest(
                entityName: name,
                predicate: number.map { try ObjectPredicate("number == %@", $0) })
            let found = try self.contexts[level].fetch(request, as: ManagedObject.self)
            let foundNumbers = found.compactMap { self.numbers[$0.objectID] }
            try self.require(
                Set(foundNumbers) == expected && foundNumbers.count == found.count,
                "fetched \(foundNumbers.sorted()), should be \(expected.sorted())")
            let count = try self.contexts[level].count(for: request)
            try self.require(count == expected.count, "counted \(count), not \(expected.count)")
            let ids = try self.contexts[level].fetchObjectIDs(request)
            try self.require(
                Set(ids.compactMap { self.numbers[$0] }) == expected, "fetched other identifiers")
        }
    }
}
