import Foundation

extension ManagedObjectModel {
    /// Reads a compiled model.
    convenience init(archived data: Data, into draft: ModelDraft) throws(ModelFileError) {
        let draft = try ModelArchiveReader.read(data, into: draft)
        do throws(ModelError) {
            try self.init(draft)
        } catch { throw ModelFileError(.model(error), file: draft.file) }
    }

    /// Reads the model cache of a store, which is compressed.
    convenience init(cached data: Data, into draft: ModelDraft) throws(ModelFileError) {
        let archive: Data
        do throws(RawDeflate.Failure) {
            archive = try RawDeflate.inflate(data, limit: ModelFile.maximumByteCount)
        } catch {
            let reason: ModelFileError.Reason =
                switch error {
                case .damaged: .malformed("its model cannot be decompressed")
                case .tooLarge: .tooLarge(limit: ModelFile.maximumByteCount)
                }
            throw ModelFileError(reason, file: draft.file)
        }
        try self.init(archived: archive, into: draft)
    }

    /// Reads the model cache of a store that is not a file.
    ///
    /// - Parameter url: Names the store in errors.
    package convenience init(cacheOfStore data: Data, url: URL) throws(ModelFileError) {
        try self.init(cached: data, into: ModelDraft(of: url, classes: [], transformers: []))
    }

    /// The model for the cache of a store.
    ///
    /// - Throws: `RawDeflate.Failure.tooLarge`.
    func cached() throws(RawDeflate.Failure) -> Data {
        try RawDeflate.deflate(ModelArchiveWriter.archive(self))
    }
}
