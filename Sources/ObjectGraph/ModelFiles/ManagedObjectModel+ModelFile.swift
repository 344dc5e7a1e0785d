import Foundation

extension ManagedObjectModel {
    /// Reads a model of Xcode's editor: a folder `.xcdatamodeld` or `.xcdatamodel`, or the file
    /// `contents` of the latter.
    ///
    /// The engine finds classes and transformers by name among those given. The class of an entity
    /// has the name in the file without its module, or the entity's name. Objects of an entity
    /// without a class are of `ManagedObject`, and their values are read and set by key. A
    /// transformable attribute whose transformer is not given has its stored `Data` as value.
    ///
    /// What the engine does not know or lacks is left out of the model. `warnings` lists it with
    /// its lines. Source: spec §1.13.
    ///
    /// - Parameters:
    ///   - url: The folder or the file.
    ///   - version: The name of a version; nil means the current one.
    ///   - classes: The classes of the entities, subclasses of `ManagedObject`.
    ///   - transformers: The transformers of transformable attributes.
    /// - Throws: `ModelFileError` with the file and the line.
    public convenience init(
        contentsOf url: URL, version: String? = nil, classes: [AnyClass] = [],
        transformers: [ValueTransformer] = []
    ) throws(ModelFileError) {
        let reader = try ModelFileReader(
            ModelFile(url).text(ofVersion: version), classes: classes, transformers: transformers)
        do throws(ModelError) {
            try self.init(
                reader.entities, reader.configurations, reader.versionIdentifiers,
                templates: reader.templates, fileWarnings: reader.warnings)
        } catch { throw reader.located(error) }
    }
}
