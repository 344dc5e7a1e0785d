import Foundation

/// A value of a row that is in a file beside the store (spec §8.6).
struct ExternalValue {
    /// Empty if the stored reference is damaged.
    let path: String

    /// The data, mapped: the system reads them when they are used, and keeps them even if the file
    /// is removed meanwhile.
    ///
    /// - Throws: `StoreError` if the file cannot be read.
    func data(of attribute: String, _ entity: String) throws(StoreError) -> Data {
        guard !path.isEmpty else {
            throw StoreError(ExternalData.damage(of: "\(entity).\(attribute)"))
        }
        do {
            return try Self.data(at: path)
        } catch {
            throw StoreError(
                .missingExternalData(entity: entity, attribute: attribute, file: path))
        }
    }

    /// Whether the file has exactly these data.
    func hasData(_ bytes: UnsafeRawBufferPointer) -> Bool {
        (try? Self.data(at: path)).map { $0.elementsEqual(bytes) } ?? false
    }

    static func data(at path: String) throws -> Data {
        try Data(contentsOf: URL(filePath: path), options: .alwaysMapped)
    }
}

extension RowReference {
    /// The file with the value of a slot; nil if the row has the value.
    func externalValue(_ slot: Int, in layout: RowLayout) -> ExternalValue? {
        hasValue(slot) && layout.slotKinds[slot] == .blob
            ? start.rowFile(layout.slotsByteOffset + (slot << 3)) : nil
    }

    /// The row with all values in itself.
    ///
    /// - Throws: `StoreError` if a file cannot be read.
    func withExternalValues(of entity: Entity) throws(StoreError) -> RowReference {
        let layout = entity.layout
        guard layout.slotKinds.indices.contains(where: { externalValue($0, in: layout) != nil })
        else { return self }
        var writer = RowWriter()
        writer.begin(layout.extent, key: key, version: version, entityNumber: entityNumber)
        for slot in layout.slotKinds.indices where hasValue(slot) {
            switch layout.slotKinds[slot] {
            case .integer: writer.set(slot, integer: integer(slot, in: layout))
            case .real: writer.set(slot, real: real(slot, in: layout))
            case .text, .blob:
                guard let file = externalValue(slot, in: layout) else {
                    writer.set(slot, bytes: bytes(slot, in: layout))
                    continue
                }
                let attribute = entity.properties.first { $0.slot == slot }
                let data = try file.data(of: attribute?.name ?? "", entity.name)
                data.withUnsafeBytes { writer.set(slot, bytes: $0) }
            }
        }
        return writer.finish()
    }
}

extension UnsafeRawPointer {
    /// The file with the value of a blob's slot; nil if the row has the bytes.
    @inline(__always)
    fileprivate func rowFile(_ slotByteOffset: Int) -> ExternalValue? {
        rowFilePath(slotByteOffset).map {
            ExternalValue(path: String(decoding: $0, as: UTF8.self))
        }
    }
}
