extension StoreLayout {
    /// A SELECT of the destinations of a relationship, whose table is `t0`, in their order if they
    /// have one. Members without a place come first.
    ///
    /// - Parameters:
    ///   - withOwner: Whether the key of the owner follows the columns.
    ///   - owners: The condition on the key of the owner, such as `= ?`.
    ///   - isOrdered: Whether the order of an ordered relationship matters.
    ///   - list: Makes the select list of the columns.
    package func select(
        _ columns: String, withOwner: Bool = false, destinationsOf property: Property,
        _ owner: Entity, where owners: String, isOrdered: Bool = true,
        list: (String) -> String = { $0 }
    ) -> String {
        func selected(_ ownerKey: String) -> String {
            list(withOwner ? "\(columns), \(ownerKey)" : columns)
        }
        let relationship = property.relationship!
        let destination = model.destination(of: relationship)
        let table = table(of: destination)
        let order = isOrdered ? order(of: relationship) : ""
        switch relationship.storage {
        case .foreignKey:
            let key = column(of: property)
            return
                "SELECT \(selected("t1.Z_PK")) FROM \(self.table(of: owner)) t1 JOIN \(table) t0 ON t0.Z_PK = t1.\(key) WHERE t1.Z_PK \(owners)\(order)"
        case .inverseForeignKey(let index):
            let key = column(of: destination.properties[index])
            return
                "SELECT \(selected("t0.\(key)")) FROM \(table) t0 WHERE t0.\(key) \(owners)\(order)"
        case .joinTable(let end):
            let join = joinTable(end)
            let key = join.sourceColumn
            if join.isInRows {
                return
                    "SELECT \(selected("t0.\(key)")) FROM \(table) t0 WHERE t0.\(key) \(owners)\(order)"
            }
            return
                "SELECT \(selected("t1.\(key)")) FROM \(join.name) t1 JOIN \(table) t0 ON t0.Z_PK = t1.\(join.destinationColumn) WHERE t1.\(key) \(owners)\(order)"
        }
    }

    /// The ORDER BY for the members of an ordered relationship.
    private func order(of relationship: Relationship) -> String {
        let nulls = dialect.direction(isAscending: true)
        if case .joinTable(let end) = relationship.storage {
            let join = joinTable(end)
            let pairs = join.isInRows ? "t0" : "t1"
            return join.placeColumn.map { " ORDER BY \(pairs).\($0)\(nulls), t0.Z_PK" } ?? ""
        }
        guard let index = relationship.placeIndex else { return "" }
        let column = column(of: model.destination(of: relationship).properties[index])
        return " ORDER BY t0.\(column)\(nulls), t0.Z_PK"
    }
}
