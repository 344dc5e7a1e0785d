// Validation of an object by the model and by its class, before it is saved (spec §2.7). An entity
// without rules costs nothing.
extension ManagedObject {
    /// Calls the validators of the class, then checks the rules of the model.
    ///
    /// - Throws: `ValidationError` for a single error, `ValidationErrors` for several.
    final func validateProperties() throws {
        if let slots = binding.requiredSlots, let rowStart, rowStart.rowHasValues(slots) {
            // All required values are there. Only values set beside the row are left to check.
            guard let changes = changesBesideDraft else { return }
            if changes.mask.allSatisfy({ isPlainlyValid(at: $0) }) { return }
        }
        var errors: [ValidationError] = []
        binding.validated.forEach { index in
            askValidator(of: binding.entity.properties[index], &errors)
        }
        binding.entity.validated.forEach { index in
            guard !isPlainlyValid(at: index) else { return }
            if let error = errorOfValue(at: index) { errors.append(error) }
        }
        binding.entity.counted.forEach { index in
            let property = binding.entity.properties[index]
            if let error = errorOfCount(of: property) { errors.append(error) }
        }
        try ValidationErrors.throwIfAny(errors)
    }

    /// Lets the class validate a value and replace it.
    private final func askValidator(of property: Property, _ errors: inout [ValidationError]) {
        let old = currentValue(of: property)
        var new = old
        do {
            try validateValue(&new, forKey: property.name)
            if !Self.isSame(old, new) { try setValue(new, forKey: property.name) }
        } catch {
            // Errors of the model's rules are added once, below.
            for error in ValidationErrors.list(of: error, self, key: property.name)
            where error.reason.isCustom {
                errors.append(error)
            }
        }
    }

    private static func isSame(_ first: Any?, _ second: Any?) -> Bool {
        switch (first, second) {
        case (nil, nil): true
        case (let first as AnyHashable, let second as AnyHashable): first == second
        default: false
        }
    }

    // MARK: - The model

    /// Whether a value is valid without a closer look, as most are.
    @inline(__always)
    private final func isPlainlyValid(at index: Int) -> Bool {
        let accessor = binding.accessors[index]
        if accessor.hasRules { return false }
        guard let changes = changesBesideDraft, changes.contains(index) else {
            // A draft holds only valid values, and a row has been checked.
            guard let rowStart, accessor.slot >= 0 else { return false }
            return !accessor.isMandatory || rowStart.rowHasValue(Int(accessor.slot))
        }
        switch changes.pointer(index).pointee {
        case .null: return !accessor.isMandatory
        case .integer(let value): return accessor.holds(value)
        case .double, .date, .decimal:
            return accessor.slot < 0 || changes.pointer(index).pointee.isStorable
        case .transformable: return false
        default: return true
        }
    }

    private final func errorOfValue(at index: Int) -> ValidationError? {
        let accessor = binding.accessors[index]
        if let changes = changesBesideDraft, changes.contains(index) {
            // Read by pointer, which avoids copying a reference-counted value.
            let value = changes.pointer(index)
            if accessor.isMandatory, case .null = value.pointee {
                return error(index, .missingMandatoryProperty)
            }
            if case .integer(let integer) = value.pointee, !accessor.holds(integer) {
                let type = binding.entity.properties[index].attributeType!
                return error(index, .integerOutOfRange(integer, type), value.pointee)
            }
            // An attribute that has rules checks this with them.
            if accessor.slot >= 0, !accessor.hasRules, !value.pointee.isStorable {
                return error(index, .unstorable, value.pointee)
            }
        } else if accessor.isMandatory {
            let isMissing =
                accessor.slot < 0
                ? attributeValue(of: binding.entity.properties[index]).isNull
                : !(rowStart?.rowHasValue(Int(accessor.slot)) ?? false)
            if isMissing { return error(index, .missingMandatoryProperty) }
        }
        return accessor.hasRules ? errorOfRules(at: index) : nil
    }

    private final func errorOfRules(at index: Int) -> ValidationError? {
        let property = binding.entity.properties[index]
        let value = attributeValue(of: property)
        if value.isNull { return nil }
        if let missing = property.missingElement(of: value) {
            return error(missing.index, .missingMandatoryProperty)
        }
        return property.brokenRule(value).map { error(index, $0, value) }
    }

    private final func errorOfCount(of property: Property) -> ValidationError? {
        // Others are as they were stored. To read them must not make a save fail.
        guard
            state.life.isInsertion || contents?.relationships[property.index]?.hasChanges == true
        else { return nil }
        return errorOfMembers(of: property)
    }

    /// Throws if a to-many relationship has too few or too many members, changed or not.
    final func validateCounts(of properties: [Property]) throws {
        try ValidationErrors.throwIfAny(properties.compactMap { errorOfMembers(of: $0) })
    }

    private final func errorOfMembers(of property: Property) -> ValidationError? {
        let relationship = property.relationship!
        let count = destinations(of: property).count
        if count < relationship.minCount, !(property.isOptional && count == 0) {
            return error(
                property.index, .tooFewObjects(minCount: relationship.minCount, count: count))
        }
        if relationship.maxCount > 0, count > relationship.maxCount {
            return error(
                property.index, .tooManyObjects(maxCount: relationship.maxCount, count: count))
        }
        return nil
    }

    private final func error(
        _ index: Int, _ reason: ValidationError.Reason, _ value: AttributeValue? = nil
    ) -> ValidationError {
        ValidationError(self, key: binding.entity.properties[index].name, reason, value: value)
    }

    /// Validates a value by the model before it is set.
    final func validateByModel(_ value: Any?, forKey key: String) throws {
        guard case .attribute(let property, let value) = try acceptable(value, forKey: key) else {
            return
        }
        if value.isNull {
            guard !property.isOptional else { return }
            throw ValidationError(self, key: key, .missingMandatoryProperty, value: value)
        }
        // A composite attribute has no rules, but its elements may have some.
        for (part, value) in property.parts(of: value) {
            var reason: ValidationError.Reason?
            if value.isNull {
                if !part.isOptional { reason = .missingMandatoryProperty }
            } else {
                reason = part.brokenRule(value)
            }
            if let reason { throw ValidationError(self, key: part.name, reason, value: value) }
        }
        if let missing = property.missingElement(of: value) {
            throw ValidationError(self, key: missing.name, .missingMandatoryProperty)
        }
    }

    /// Throws if a relationship with the deny rule has destinations that are not deleted.
    final func validateDenyRules() throws {
        var errors: [ValidationError] = []
        for property in binding.entity.properties
        where property.relationship?.deleteRule == .deny {
            let destinations =
                property.kind == .toOne
                ? destination(of: property).map { [$0] } ?? []
                : Array(destinations(of: property))
            let count = destinations.count { !$0.isDeleted }
            if count > 0 { errors.append(error(property.index, .deniedDelete(count: count))) }
        }
        try ValidationErrors.throwIfAny(errors)
    }
}

extension Property {
    /// The first rule that a value of the attribute breaks; nil if it breaks none.
    fileprivate func brokenRule(_ value: AttributeValue) -> ValidationError.Reason? {
        if case .transformable(let value) = value, case .failure(let error) = value.data {
            return .untransformable("\(error)")
        }
        if slot != nil, !value.isStorable { return .unstorable }
        return rules?.ruleBroken(by: value).map {
            .brokenRule($0.warning, predicate: $0.predicateFormat)
        }
    }
}
