/// The types of a model's composite attributes, for model files. A type is a list of elements, with
/// the name of the first attribute that has it.
struct CompositeTypes {
    private(set) var types: [(name: String, elements: [AttributeDescription])] = []

    init(_ model: ManagedObjectModel) {
        for entity in model.entities.map(\.description).sorted(by: { $0.name < $1.name }) {
            for attribute in entity.attributes { add(attribute) }
        }
    }

    /// The name of the type of a composite attribute; nil for other attributes.
    func name(of attribute: AttributeDescription) -> String? {
        guard attribute.type == .composite else { return nil }
        return types.first { $0.elements == attribute.elements }?.name
    }

    private mutating func add(_ attribute: AttributeDescription) {
        guard attribute.type == .composite, name(of: attribute) == nil else { return }
        let base = attribute.name.prefix(1).uppercased() + attribute.name.dropFirst()
        var (name, number) = (base, 1)
        while types.contains(where: { $0.name == name }) {
            number += 1
            name = "\(base)\(number)"
        }
        types.append((name, attribute.elements))
        for element in attribute.elements { add(element) }
    }
}
