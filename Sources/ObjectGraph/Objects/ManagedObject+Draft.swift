import Foundation

// The values of a new object are written to a draft, a row in the form in which a save inserts it.
// Nothing is kept twice, and nothing is left to encode.
//
// A draft is in the place of the row, but is no row: `row` is nil. Values that it cannot hold
// (relationships, transient values, texts that do not fit its slab) are kept beside it and take
// precedence. Code that needs all changes of the object first makes it give up the draft, so that
// the rest of the engine has one kind of unsaved value.
extension ManagedObject {
    /// Whether values can be written to the draft without notifying the context or observers.
    @inline(__always)
    private final var writesToDraft: Bool {
        state.flags.intersection([.draft, .changedInEvent, .fault, .checked, .observed])
            == [.draft, .changedInEvent]
    }

    /// The accessor for a value that goes to the draft; nil if the value must be kept beside it.
    @inline(__always)
    private final func placeInDraft(_ index: Int, _ kind: SlotKind) -> PropertyAccessor? {
        let accessor = binding.accessors[index]
        guard writesToDraft, accessor.isPlain, accessor.slotKind == kind,
            !(changesBesideDraft?.contains(index) ?? false)
        else { return nil }
        return accessor
    }

    @inline(__always)
    private final var draft: RowDraft {
        RowDraft(
            DraftSpace(of: slab.unsafelyUnwrapped), start: rowStart.unsafelyUnwrapped,
            binding.extent)
    }

    final func set(integer: Int64, for key: PropertyKey) {
        let index = key.index(in: binding)
        guard let accessor = placeInDraft(index, .integer), accessor.holds(integer) else {
            return setAttribute(.integer(integer), at: index)
        }
        draft.set(Int(accessor.slot), integer: integer)
    }

    final func set(boolean: Bool, for key: PropertyKey) {
        let index = key.index(in: binding)
        guard let accessor = placeInDraft(index, .integer) else {
            return setAttribute(.boolean(boolean), at: index)
        }
        draft.set(Int(accessor.slot), integer: boolean ? 1 : 0)
    }

    final func set(real: Double, for key: PropertyKey) {
        let index = key.index(in: binding)
        // NaN is kept outside the draft, so that validation sees it.
        guard !real.isNaN, let accessor = placeInDraft(index, .real) else {
            return setAttribute(.double(real), at: index)
        }
        draft.set(Int(accessor.slot), real: real)
    }

    final func set(date: Date, for key: PropertyKey) {
        let index = key.index(in: binding)
        guard !date.timeIntervalSinceReferenceDate.isNaN, let accessor = placeInDraft(index, .real)
        else { return setAttribute(.date(date), at: index) }
        draft.set(Int(accessor.slot), real: date.timeIntervalSinceReferenceDate)
    }

    final func set(text: String, for key: PropertyKey) {
        let index = key.index(in: binding)
        guard let accessor = placeInDraft(index, .text),
            draft.setIfItFits(Int(accessor.slot), text)
        else { return setAttribute(.string(text), at: index) }
    }

    /// Sets an attribute to nil.
    public final func setNil(for key: PropertyKey) {
        let index = key.index(in: binding)
        guard let accessor = placeInDraft(index, binding.accessors[index].slotKind),
            draft.setNil(Int(accessor.slot))
        else { return setAttribute(.null, at: index) }
    }

    /// Writes a value of an attribute's own type to the draft, if there is one and it can hold the
    /// value.
    final func putInDraft(_ value: AttributeValue, at index: Int) -> Bool {
        let kind = binding.accessors[index].slotKind
        guard let accessor = placeInDraft(index, kind) else { return false }
        let slot = Int(accessor.slot)
        switch (value, kind) {
        case (.null, _): return draft.setNil(slot)
        case (.integer(let integer), .integer) where accessor.holds(integer):
            draft.set(slot, integer: integer)
        case (.boolean(let boolean), .integer): draft.set(slot, integer: boolean ? 1 : 0)
        case (.double(let real), .real) where !real.isNaN: draft.set(slot, real: real)
        case (.date(let date), .real) where value.isStorable:
            draft.set(slot, real: date.timeIntervalSinceReferenceDate)
        case (.string(let text), .text): return draft.setIfItFits(slot, text)
        default: return false
        }
        return true
    }

    /// Moves the values of the draft to the unsaved values.
    @inline(never)
    final func giveUpDraft() {
        let values = valuesRow
        state.flags.remove(.draft)
        row = nil
        guard let values else { return }
        keepNotes(of: values)
        for property in binding.entity.properties where property.attributeType != nil {
            guard let slot = property.slot, values.hasValue(slot),
                !(changesBesideDraft?.contains(property.index) ?? false)
            else { continue }
            unsavedValues[property.index] = storedValue(of: property, in: values)
        }
    }

    /// Keeps beside the draft which of its values were set to nil. A finished draft has been
    /// handled.
    private final func keepNotes(of draft: RowReference) {
        guard draft.key == 0, draft.version != 0 else { return }
        for property in binding.entity.properties where property.attributeType != nil {
            guard let slot = property.slot, RowDraft.wasSetToNil(slot, draft),
                !draft.hasValue(slot), !(changesBesideDraft?.contains(property.index) ?? false)
            else { continue }
            unsavedValues[property.index] = .null
        }
    }

    /// The draft with all values beside it, as the row to save; nil if they do not
    /// fit.
    ///
    /// The object keeps both until the save has succeeded.
    final func finishedDraft(_ references: inout RowReferences) -> RowReference? {
        guard state.flags.contains(.draft), let row = valuesRow else { return nil }
        // The version replaces the notes, which only uniqueness conflicts use from here on.
        if row.version != 0, !binding.entity.uniquenessConstraints.isEmpty {
            keepNotes(of: row)
        }
        var draft = RowDraft(
            DraftSpace(of: row.slab), start: row.start, binding.extent)
        if let changes = changesBesideDraft {
            let accessors = binding.accessors
            changes.mask.forEach { index in
                let accessor = accessors[index]
                guard accessor.slot >= 0 else { return }
                draft.clear(Int(accessor.slot))
                references.write(changes.pointer(index), accessor, into: &draft)
            }
            guard !draft.isTooLarge else { return nil }
        }
        draft.finish(key: reference, version: 1)
        return row
    }
}

// MARK: - Making drafts

extension ManagedObjectContext {
    /// The seed of a new object with a draft.
    func draftSeed(_ binding: EntityBinding) -> ObjectSeed {
        let extent = binding.extent
        let slab = draftSlab(for: extent)
        return ObjectSeed(
            binding: binding, reference: ObjectIDScope.newTemporaryReference(), slab: slab,
            rowStart: DraftSpace(of: slab).begin(extent, binding.entityNumber),
            life: .inserted, flags: [.changedInEvent, .draft])
    }

    @inline(__always)
    private func draftSlab(for extent: RowExtent) -> RowSlab {
        // A save may have superseded rows of the slab after few objects. The next slab starts small
        // again.
        if draftSlab?.hasSupersededRows.load(ordering: .relaxed) ?? false { draftSlab = nil }
        if let draftSlab, DraftSpace(of: draftSlab).hasRoom(for: extent) { return draftSlab }
        let capacity = min((draftSlab?.capacity ?? 256) * 4, RowSlab.byteCount)
        let made = DraftSpace.makeSlab(capacity: max(capacity, extent.fixedByteCount * 4))
        draftSlab = made
        return made
    }
}

/// Writes a row in place, in a slab that other rows share.
struct RowDraft: SlotWriter {
    private let space: DraftSpace
    private let start: UnsafeMutableRawPointer
    private let slotsByteOffset: Int

    /// Whether a value was left out because the slab is full.
    private(set) var isTooLarge = false

    @inline(__always)
    init(_ space: DraftSpace, start: UnsafeRawPointer, _ extent: RowExtent) {
        self.space = space
        self.start = UnsafeMutableRawPointer(mutating: start)
        slotsByteOffset = extent.slotsByteOffset
    }

    @inline(__always)
    func set(_ slot: Int, integer: Int64) {
        start.storeBytes(of: integer, toByteOffset: slotsByteOffset + (slot << 3), as: Int64.self)
        start.rowMark(slot)
    }

    @inline(__always)
    func set(_ slot: Int, real: Double) {
        start.storeBytes(of: real, toByteOffset: slotsByteOffset + (slot << 3), as: Double.self)
        start.rowMark(slot)
    }

    @inline(__always)
    mutating func set(_ slot: Int, bytes: UnsafeRawBufferPointer) {
        if !setIfItFits(slot, bytes) { isTooLarge = true }
    }

    @inline(__always)
    func setIfItFits(_ slot: Int, _ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable {
            setIfItFits(slot, UnsafeRawBufferPointer($0))
        } ?? false
    }

    @inline(__always)
    private func setIfItFits(_ slot: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let place = space.append(bytes) else { return false }
        start.storeBytes(
            of: UInt32(truncatingIfNeeded: place - start),
            toByteOffset: slotsByteOffset + (slot << 3), as: UInt32.self)
        start.storeBytes(
            of: UInt32(truncatingIfNeeded: bytes.count),
            toByteOffset: slotsByteOffset + (slot << 3) + 4, as: UInt32.self)
        start.rowMark(slot)
        return true
    }

    @inline(__always)
    func clear(_ slot: Int) { start.rowClear(slot) }

    /// Removes a value and notes that it was set to nil, in the bits that later hold the row's
    /// version. Returns false for a slot that has no bit.
    func setNil(_ slot: Int) -> Bool {
        guard slot < 32 else { return false }
        start.rowClear(slot)
        let notes = start.load(fromByteOffset: 8, as: UInt32.self)
        start.storeBytes(of: notes | 1 << UInt32(slot), toByteOffset: 8, as: UInt32.self)
        return true
    }

    static func wasSetToNil(_ slot: Int, _ draft: RowReference) -> Bool {
        slot < 32 && draft.version & 1 << UInt32(slot) != 0
    }

    @inline(__always)
    func finish(key: Int64, version: UInt32) {
        start.storeBytes(of: key, as: Int64.self)
        start.storeBytes(of: version, toByteOffset: 8, as: UInt32.self)
    }
}
