import Foundation

extension ManagedObjectModel {
    /// Reads a model of Xcode's editor, a folder `.xcdatamodeld` or `.xcdatamodel` or the file
    /// `contents` of the latter, or a compiled model, a folder `.momd` or a file `.mom`.
    ///
    /// The engine finds classes and transformers by name among those given. The class of an entity
    /// has the name in the file without its module, or the entity's name. Objects of an entity
    /// without a class are of `ManagedObject`, and their values are read and set by key. A
    /// transformable attribute whose transformer is not given has its stored `Data` as value.
    ///
    /// The model leaves out elements that the engine does not know or lacks. `warnings` lists them
    /// with their lines. Source: spec §1.13, §1.14.
    ///
    /// - Parameters:
    ///   - url: The folder or the file.
    ///   - version: The name of a version; nil means the current one.
    ///   - classes: The classes of the entities, subclasses of `ManagedObject`.
    ///   - transformers: The transformers of transformable attributes.
    /// - Throws: `ModelFileError` with the file, and the line or the entity and the property.
    public convenience init(
        contentsOf url: URL, version: String? = nil, classes: [AnyClass] = [],
        transformers: [ValueTransformer] = []
    ) throws(ModelFileError) {
        let file = try ModelFile(url).text(ofVersion: version)
        try self.init(
            file: ModelFile.data(at: file),
            into: ModelDraft(of: file, classes: classes, transformers: transformers))
    }

    /// Reads the content of a file, a text or an archive.
    convenience init(file data: Data, into draft: ModelDraft) throws(ModelFileError) {
        if data.starts(with: BinaryPropertyList.magic.utf8) || XMLPropertyList.isLikely(data) {
            try self.init(archived: data, into: draft)
            return
        }
        let reader = try ModelFileReader(data, into: draft)
        do throws(ModelError) {
            try self.init(reader.draft)
        } catch { throw reader.located(error) }
    }

    convenience init(_ draft: ModelDraft) throws(ModelError) {
        try self.init(
            draft.entities, draft.configurations, draft.versionIdentifiers,
            templates: draft.templates, fileWarnings: draft.warnings)
    }
}
