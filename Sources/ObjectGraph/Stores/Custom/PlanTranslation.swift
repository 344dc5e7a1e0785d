/// Translates the plan of a save into nodes.
///
/// The plan has pairs to add and remove, a node has whole lists. So the stored nodes are needed,
/// with which versions are compared too.
struct PlanTranslation {
    private let plan: SavePlan
    private let writer: NodeWriter

    init(_ plan: SavePlan, model: ManagedObjectModel) {
        self.plan = plan
        writer = NodeWriter(model: model)
    }

    /// The nodes that the plan concerns.
    var ids: [StoreNodeID] {
        let rows = plan.rows.map(\.nodeID)
        return Array(Set(rows + plan.joins.flatMap { [$0.sourceID, $0.destinationID] }))
            .sorted { ($0.entityName, $0.reference) < ($1.entityName, $1.reference) }
    }

    /// The positions in the plan of the rows of these nodes; nil if there are none.
    func conflict(in ids: Set<StoreNodeID>) -> StoreConflict? {
        let positions = plan.rows.indices.filter { ids.contains(plan.rows[$0].nodeID) }
        return positions.isEmpty ? nil : .versions(positions)
    }

    /// The plan in nodes.
    ///
    /// - Parameters:
    ///   - nodes: The stored nodes with these `ids`.
    ///   - metadata: Those of the store.
    /// - Throws: `StoreConflict` if the nodes are not as the plan expects; `StoreNodeError` for a
    ///   row without a mandatory value.
    func translated(over nodes: [StoreNode], metadata: StoreMetadata) throws -> StoreSavePlan {
        let stored = Dictionary(nodes.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let conflicts = plan.rows.indices.filter {
            !plan.rows[$0].isExpected(storedVersion: stored[plan.rows[$0].nodeID]?.version)
        }
        guard conflicts.isEmpty else { throw StoreConflict.versions(conflicts) }

        let lists = MemberLists(plan.joins, stored, writer.model)
        var inserted: [StoreNode] = []
        var updated: [StoreSavePlan.Update] = []
        var deleted: [StoreSavePlan.Expectation] = []
        var checked: [StoreSavePlan.Expectation] = []
        for change in plan.rows {
            let id = change.nodeID
            let expectation = StoreSavePlan.Expectation(id: id, version: change.previousVersion)
            switch change.kind {
            case .insert:
                inserted.append(try writer.node(change.row!) { lists.members($0.name, of: id) })
            case .update:
                updated.append(
                    StoreSavePlan.Update(
                        node: try writer.node(change.row!) { lists.members($0.name, of: id) },
                        changedProperties: change.changedNames.union(lists.changedNames(of: id)),
                        expectedVersion: change.previousVersion))
            case .delete: deleted.append(expectation)
            case .check: checked.append(expectation)
            }
        }
        let written = plan.rows.filter { $0.kind != .check }.map(\.nodeID)
        updated += lists.updates(besides: Set(written))
        return StoreSavePlan(
            inserted: inserted, updated: updated, deleted: deleted, checked: checked,
            metadata: metadata)
    }
}

/// The members of to-many relationships at both ends of the pairs that a plan adds and removes.
private struct MemberLists {
    /// The changes of one list, which are applied at once, so that a save of many pairs is linear.
    private struct Edit {
        var removed: Set<StoreNodeID> = []
        var added: [StoreNodeID] = []
        var places: [StoreNodeID: Int] = [:]

        mutating func note(_ member: StoreNodeID, isAddition: Bool) {
            if isAddition { added.append(member) } else { removed.insert(member) }
        }

        func applied(to stored: [StoreNodeID]) -> [StoreNodeID] {
            var list = removed.isEmpty ? stored : stored.filter { !removed.contains($0) }
            var known = Set(list)
            for member in added where known.insert(member).inserted { list.append(member) }
            guard !places.isEmpty else { return list }
            // Members without a new place keep theirs.
            let placed = list.enumerated().map { (places[$1] ?? $0, $0, $1) }
            return placed.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
        }
    }

    private let stored: [StoreNodeID: StoreNode]
    private var changed: [StoreNodeID: [String: [StoreNodeID]]] = [:]

    init(
        _ joins: [JoinChange], _ stored: [StoreNodeID: StoreNode], _ model: ManagedObjectModel
    ) {
        self.stored = stored
        var edits: [StoreNodeID: [String: Edit]] = [:]
        func edit(_ property: Property, of owner: StoreNodeID, _ change: (inout Edit) -> Void) {
            change(&edits[owner, default: [:]][property.name, default: Edit()])
        }
        for join in joins {
            let (source, destination) = (join.sourceID, join.destinationID)
            edit(join.property, of: source) {
                $0.note(destination, isAddition: join.isInsertion)
                if let position = join.position { $0.places[destination] = position }
            }
            if let inverse = model.inverse(of: join.property.relationship!),
                inverse.identifier != join.property.identifier
            {
                edit(inverse, of: destination) { $0.note(source, isAddition: join.isInsertion) }
            }
        }
        for (owner, edits) in edits {
            for (name, edit) in edits {
                changed[owner, default: [:]][name] = edit.applied(
                    to: stored[owner]?.relationships[name] ?? [])
            }
        }
    }

    func members(_ name: String, of owner: StoreNodeID) -> [StoreNodeID] {
        changed[owner]?[name] ?? stored[owner]?.relationships[name] ?? []
    }

    func changedNames(of owner: StoreNodeID) -> Set<String> {
        Set((changed[owner] ?? [:]).keys)
    }

    /// The stored nodes of which only a list changes.
    func updates(besides ids: Set<StoreNodeID>) -> [StoreSavePlan.Update] {
        changed.keys.filter { !ids.contains($0) }.compactMap { stored[$0] }
            .sorted { ($0.id.entityName, $0.id.reference) < ($1.id.entityName, $1.id.reference) }
            .map { node in
                var changedNode = node
                for (name, list) in changed[node.id]! {
                    changedNode.relationships[name] = list.isEmpty ? nil : list
                }
                return StoreSavePlan.Update(
                    node: changedNode, changedProperties: changedNames(of: node.id),
                    expectedVersion: node.version)
            }
    }
}

extension RowChange {
    fileprivate var nodeID: StoreNodeID { StoreNodeID(entityName: entity.name, reference: key) }

    fileprivate var changedNames: Set<String> {
        var names: Set<String> = []
        changes.forEach { names.insert(entity.properties[$0].name) }
        return names
    }
}

extension JoinChange {
    fileprivate var sourceID: StoreNodeID {
        StoreNodeID(entityName: entity.name, reference: sourceKey)
    }

    fileprivate var destinationID: StoreNodeID {
        StoreNodeID(entityName: destinationEntity.name, reference: destinationKey)
    }
}
