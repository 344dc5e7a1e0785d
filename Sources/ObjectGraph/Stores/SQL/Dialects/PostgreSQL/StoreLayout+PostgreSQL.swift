extension StoreLayout {
    /// The layout of a store in PostgreSQL. Its columns hold all values as rows in memory do.
    ///
    /// - Parameters:
    ///   - numbers: The numbers of its entities, by their index; nil means those of the model.
    ///   - folded: The columns with folded texts.
    package convenience init(
        postgreSQL model: ManagedObjectModel, numbers: [Int64]? = nil, storeIdentifier: String,
        folded: FoldedColumns.Extent = .model
    ) {
        let naming = StoreNaming(model, numbers: numbers, dialect: .postgreSQL)
        self.init(
            model, naming, storeIdentifier: storeIdentifier, marks: .columns([]),
            fullTextTables: [], folded: FoldedColumns(folded, model, naming))
    }
}
