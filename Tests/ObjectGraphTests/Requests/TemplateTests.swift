import Testing

@testable import ObjectGraph

@Suite struct `Request templates (§1.11)` {
    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: [
                EntityDescription(name: "A", attributes: [AttributeDescription("a", .string)])
            ],
            fetchRequestTemplates: [
                "between": FetchRequest(
                    entityName: "A", predicate: try ObjectPredicate("a > $LOW AND a < $HIGH"))
            ])
    }

    @Test func `is found by name, and its copy is changed alone (§1.11.1)`() throws {
        let model = try model()
        var request = try #require(model.fetchRequestTemplate(named: "between"))
        request.fetchLimit = 3
        #expect(model.fetchRequestTemplate(named: "between")?.fetchLimit == 0)
        #expect(model.fetchRequestTemplate(named: "other") == nil)
    }

    @Test func `all variables are replaced (§1.11.2)`() throws {
        let model = try model()
        let request = try model.fetchRequest(
            fromTemplateNamed: "between", substitutionVariables: ["LOW": "b", "HIGH": "d"])
        #expect(request?.predicate?.predicateFormat == "a > \"b\" AND a < \"d\"")
        #expect(throws: FetchError.unboundVariable("HIGH")) {
            _ = try model.fetchRequest(
                fromTemplateNamed: "between", substitutionVariables: ["LOW": "b"])
        }
        #expect(
            try model.fetchRequest(fromTemplateNamed: "other", substitutionVariables: [:]) == nil)
    }

    @Test func `names an entity of the model`() {
        #expect(throws: ModelError("B", nil, .unknownTemplateEntity(template: "t"))) {
            _ = try ManagedObjectModel(
                entities: [EntityDescription(name: "A")],
                fetchRequestTemplates: ["t": FetchRequest(entityName: "B")])
        }
    }
}
