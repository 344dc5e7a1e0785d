import Foundation

/// An error of the engine for which Core Data has a code (spec §5.6). Its `localizedDescription` is
/// its description.
///
/// The conformances are in this file: a linker takes only the files of a static library that
/// something refers to.
public protocol CodedError: LocalizedError, CustomStringConvertible {
    /// Core Data's code in its own domain.
    var code: Int { get }
}

extension CodedError {
    public var errorDescription: String? { description }
}

extension ValidationError: CodedError {}

extension ValidationErrors: CodedError {
    public var code: Int { 1560 }
}

extension KeyedArchiveError: LocalizedError {
    public var errorDescription: String? { description }
}

extension PropertyError: LocalizedError {
    public var errorDescription: String? { description }
}

extension ModelError: LocalizedError {
    public var errorDescription: String? { description }
}

extension ModelFileError: CodedError {
    public var code: Int {
        switch reason {
        case .missing, .unknownVersion, .noCurrentVersion: 260
        case .unreadable: 256
        case .tooLarge: 263
        case .notUTF8: 261
        case .inexpressible: 512
        case .model, .predicate: 134060
        case .notAModel, .legacyFormat, .malformed, .tooDeep, .documentType, .missingAttribute,
            .missingElement, .unacceptableValue, .duplicate, .unknownComposite, .circularComposite,
            .archive:
            259
        case .noModelInStore, .emptyModelInStore: 134020
        case .unknownPolicy, .noPolicy: 134110
        }
    }
}

extension PredicateFormatError: LocalizedError {
    public var errorDescription: String? { description }
}

extension PredicateConversionError: LocalizedError {
    public var errorDescription: String? { description }
}

extension SQLiteError: LocalizedError {
    public var errorDescription: String? { description }
}

extension SaveError: CodedError {
    public var code: Int {
        switch self {
        case .mergeConflicts: 133020
        case .constraintConflicts: 133021
        case .validation(let errors): errors.count == 1 ? errors[0].code : 1560
        case .unknownObjects: 133000
        case .unreadObject(_, let error): (error as? any CodedError)?.code ?? 134060
        case .endlessWillSave: 132000
        case .unresolvedConflicts: 134050
        }
    }
}

extension MigrationError: CodedError {
    public var code: Int {
        switch reason {
        case .unknownSourceModel: 134130
        case .noMapping: 134140
        case .notInferable: 134190
        case .foreignObject: 134110
        case .insufficientSpace: 13
        case .backupFailed(.diskFull, _): 13
        case .backupFailed: 134110
        case .constraintViolated: 134111
        case .storeInUse: 134080
        case .invalidMapping, .unknownMapping: 134110
        case .cancelled: 134120
        case .unfittingMapping: 134130
        case .destinationExists: 134160
        case .mappingFailed: 134170
        case .noRoute: 134140
        case .modelNotFound: 134504
        case .newerThanStages, .stagesGoBackward: 134506
        case .duplicateMigration, .unreadableVersion, .codeFailed: 134110
        }
    }
}

extension StoreError: CodedError {
    public var code: Int {
        switch reason {
        case .notADatabase, .damagedValue: 259
        case .incompatibleSchema, .missingEntity, .missingTable, .missingColumn: 134020
        case .incompatibleModel, .unexpectedModel, .unknownModel: 134100
        case .unknownStoreType: 134000
        case .otherStoreType: 134010
        case .unknownConfiguration, .alreadyOpen, .notOpen: 134080
        case .readOnly, .hasHistory, .unmaintainedIndex, .unmaintainedDerivation, .fileChanged:
            134030
        case .historyExpired: 134301
        case .foreignHistory: 134060
        case .diskFull: 13
        case .cannotOpen: 256
        case .missingFile, .missingExternalData: 260
        case .unwritableExternalData: 512
        case .timeout: 134090
        case .noStores: 134030
        case .generationUnavailable, .foreignGeneration, .tooManyGenerations: 134030
        case .noStore: 134020
        case .unsupported: 134091
        case .unknownAttribute, .unacceptableValue, .cannotDerive, .derivedValueTooLarge: 134060
        case .missingMandatoryValue: 1570
        case .valuesTaken, .uniquenessViolated: 133021
        case .incompleteSave: 134040
        case .cancelled: 3072
        case .operationFailed: 134180
        }
    }
}

extension StoreNodeError: CodedError {
    public var code: Int { 134060 }
}

extension StoreSaveConflict: CodedError {
    public var code: Int { 133020 }
}

extension JSONArrayError: CodedError {
    public var code: Int {
        switch reason {
        case .unreadable: 256
        case .tooLarge: 263
        case .notAnArray, .cutOff, .malformed, .undecodable: 259
        }
    }
}

extension RowEncodingError: CodedError {
    public var code: Int { 134060 }
}

extension ContextDepthError: CodedError {
    public var code: Int { 134060 }
}

extension FetchError: CodedError {
    public var code: Int {
        switch self {
        case .noSuchObject: 133000
        case .unsupported: 134091
        default: 134060
        }
    }
}
