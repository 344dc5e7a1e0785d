import ObjectGraph

extension OwnStore {
    /// The error of a worker without values of the store, and without names if they are redacted:
    /// its type, its case and Core Data's code.
    func tellWithoutValues(_ error: any Error) -> String {
        switch error {
        case SaveError.validation(let errors):
            let first = errors.first.map { "; the first is \(tell($0))" } ?? ""
            return "a save found \(errors.count) invalid values\(first)"
        case let error as ValidationError: return "a value is invalid: \(tell(error))"
        case let error as StoreError:
            return "the store failed: \(Self.caseName(of: error.reason)), code \(error.code)"
        case let error as any CodedError:
            return "\(type(of: error)) \(Self.caseName(of: error)), code \(error.code)"
        default: return "\(type(of: error)) \(Self.caseName(of: error))"
        }
    }

    private func tell(_ error: ValidationError) -> String {
        let name = "\(error.objectID.entityName)\(error.key.map { ".\($0)" } ?? "")"
        return "code \(error.code)" + (isRedacted ? "" : " of \(name)")
    }

    /// The name of an enum's case without its values; empty for other types.
    private static func caseName(of value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .enum else { return "" }
        return mirror.children.first?.label ?? "\(value)"
    }
}
