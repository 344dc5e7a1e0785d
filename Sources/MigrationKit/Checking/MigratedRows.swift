import ObjectGraph

/// The rows of a migrated store beside those that follow from the snapshot.
struct MigratedRows {
    let contents: StoreContents
    let snapshot: Snapshot
    let plans: [EntityPlan]
    let model: ManagedObjectModel

    /// The labels of the objects that an object of the snapshot became.
    private let successors: [ManagedObjectID: [(entity: String, label: String)]]

    /// The labels of the migrated objects.
    private let labels: [ManagedObjectID: String]

    init(
        contents: StoreContents, snapshot: Snapshot, plans: [EntityPlan],
        model: ManagedObjectModel
    ) {
        self.contents = contents
        self.snapshot = snapshot
        self.plans = plans
        self.model = model
        var successors: [ManagedObjectID: [(entity: String, label: String)]] = [:]
        var labels: [ManagedObjectID: String] = [:]
        for plan in plans {
            let names = plan.labels
            for source in plan.sources {
                for object in snapshot.objects(of: source) {
                    let values = names.compactMap { name in
                        snapshot.value(source.origins[name]!, of: object, source.entity)
                    }
                    successors[object.id, default: []].append(
                        (plan.entity, Self.label(plan.entity, values)))
                }
            }
            for object in contents.objects[plan.entity] ?? [] {
                labels[object.id] = Self.label(
                    plan.entity, names.map { object.values[$0] ?? .null })
            }
        }
        self.successors = successors
        self.labels = labels
    }

    private static func label(_ entity: String, _ values: [AttributeValue]) -> String {
        let shown = values.compactMap { value -> String? in
            if case .transformable = value { nil } else { value.shown }
        }
        return "\(entity)(\(shown.joined(separator: ", ")))"
    }

    // MARK: - Rows

    func findings(_ version: String) -> [MigrationFinding] {
        plans.flatMap { plan in
            let expected = plan.sources.flatMap { source in
                snapshot.objects(of: source).map { expectedRow(source, $0) }
            }
            let shown = Set(plan.sources.flatMap(\.origins.keys))
            let found = (contents.objects[plan.entity] ?? []).map {
                foundRow($0, plan, shown)
            }
            return RowComparison(
                version: version, entity: plan.entity, expected: expected, found: found
            ).findings()
        }
    }

    private func expectedRow(_ source: EntityPlan.Source, _ object: StoreContents.Object) -> Row {
        var values: [String: RowValue] = [:]
        for (property, origin) in source.origins {
            switch origin {
            case .members(let name, let isOrdered, let destination):
                let labels = (object.members[name] ?? []).flatMap { successors[$0] ?? [] }
                    .filter { model.isEntity($0.entity, kindOf: destination) }.map(\.label)
                values[property] = .members(isOrdered ? labels : labels.sorted())
            case .noMembers: values[property] = .members([])
            default:
                values[property] = .attribute(
                    snapshot.value(origin, of: object, source.entity) ?? .null)
            }
        }
        return Row(values: values)
    }

    private func foundRow(
        _ object: StoreContents.Object, _ plan: EntityPlan, _ shown: Set<String>
    ) -> Row {
        var values: [String: RowValue] = [:]
        for property in shown {
            guard let members = object.members[property] else {
                values[property] = .attribute(object.values[property] ?? .null)
                continue
            }
            let isOrdered = plan.sources.contains { source in
                if case .members(_, true, _)? = source.origins[property] { true } else { false }
            }
            let labels = members.map { self.labels[$0] ?? "\($0)" }
            values[property] = .members(isOrdered ? labels : labels.sorted())
        }
        return Row(values: values)
    }

    // MARK: - Predicates

    /// The rows that break the predicates of expectations.
    func unsatisfied(
        _ version: String, _ context: ManagedObjectContext
    ) throws -> [MigrationFinding] {
        var findings: [MigrationFinding] = []
        for plan in plans {
            for (property, format) in plan.predicates.sorted(by: { $0.key < $1.key }) {
                let request = FetchRequest.every(plan.entity, where: try ObjectPredicate(format))
                let matches = Set(try context.fetchObjectIDs(request))
                for object in contents.objects[plan.entity] ?? [] where !matches.contains(object.id)
                {
                    let row = Row(values: object.values.mapValues { .attribute($0) })
                    findings.append(
                        MigrationFinding(
                            version: version, entity: plan.entity, property: property,
                            problem: .unsatisfied(format, row: row.text)))
                }
            }
        }
        return findings
    }
}
