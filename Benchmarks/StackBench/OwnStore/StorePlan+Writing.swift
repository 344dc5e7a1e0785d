import Measuring
import ObjectGraph
import Reports
import RunRecords

// The workloads that write.

extension StorePlan {
    mutating func planUpdate() {
        guard let attribute = changeable else {
            omit("update", "Updates are not measured: no entity has a number or date to change.")
            return
        }
        var workload = Workload(
            "update", of: .storeUpdate,
            title: "Set \(names.path(attribute)) of every row, by one request and by a loop",
            subjects: Self.usual,
            parameters: ["attribute": [names.path(attribute)], "way": ["loop", "request"]])
        workload.ask(
            "time", "Is a batch update of \(names.path(attribute)) faster than a loop that saves?",
            along: "way", against: "loop", sameWithin: 0.1)
        let rows = survey.entities.first { $0.name == attribute.entity }?.rowCount ?? 0
        add(workload, rowCount: rows, rowSeconds: Double(rows) * 8e-6)
    }

    mutating func planDeletion() {
        guard let entity = survey.entities.first(where: { model.canDelete($0.name) }) else {
            omit(
                "delete",
                "Deletion is not measured: the delete rules of all entities may refuse it.")
            return
        }
        let count = min(entity.rowCount, Self.writeRowsMax)
        let name = names.entity(entity.name)
        var workload = Workload(
            "delete", of: .storeDelete,
            title: "Delete \(count.counted) rows of \(name) with their delete rules",
            subjects: Self.usual,
            parameters: ["entity": [name], "way": ["loop", "request"], "rows": ["\(count)"]])
        workload.ask(
            "time", "Is a batch delete of \(name) faster than a loop that saves?", along: "way",
            against: "loop", sameWithin: 0.1)
        add(workload, rowCount: count, rowSeconds: Double(count) * 20e-6)
    }

    mutating func planInsertion() {
        let missing = Set(survey.filesMissing.keys.filter(model.isMandatory).map(\.entity))
        let cloneable = survey.entities.first {
            !$0.hasUniqueIndex && model.canClone($0.name) && !missing.contains($0.name)
        }
        guard let entity = cloneable else {
            omit("insert", "Inserting is not measured: no entity has rows that may be cloned.")
            return
        }
        let count = min(entity.rowCount, Self.writeRowsMax / 2)
        let name = names.entity(entity.name)
        // All sizes that have all rows make the same save.
        let all = [10, 100, 1_000, 10_000]
        let sizes = (all.filter { $0 < count } + all.filter { $0 >= count }.prefix(1)).suffix(3)
        guard sizes.count > 1 else {
            omit(
                "insert",
                "Inserting is not measured: \(name) has too few rows for saves of different sizes.")
            return
        }
        var workload = Workload(
            "insert", of: .storeInsert,
            title: "Insert clones of \(count.counted) rows of \(name) with their links",
            subjects: Self.usual,
            parameters: [
                "entity": [name], "saveSize": sizes.map(String.init), "rows": ["\(count)"],
            ])
        workload.ask(
            "time", "How many \(name) objects to insert per save?", along: "saveSize",
            against: "\(min(1_000, sizes.last ?? 1_000))", sameWithin: 0.1)
        add(workload, rowCount: count, rowSeconds: Double(count) * 40e-6)
    }

    /// The number or date of the largest entity that has one which may take any value.
    var changeable: PropertyPath? {
        let types: [AttributeType] = [.integer64, .double, .date, .integer32]
        return survey.entities.lazy.compactMap { entity in
            entity.attributes.filter { attribute in
                types.contains(attribute.type) && attribute.valueCount > 0
                    && !attribute.isUnique && self.model.isFree(attribute.path)
            }.min { types.firstIndex(of: $0.type) ?? 0 < types.firstIndex(of: $1.type) ?? 0 }?.path
        }.first
    }
}
