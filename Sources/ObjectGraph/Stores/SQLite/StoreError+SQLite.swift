import Foundation

extension StoreError {
    /// The store error for a failure of SQLite.
    init(_ error: SQLiteError, url: URL?) {
        let reason: Reason =
            if let reason = ExternalData.reason(for: error) ?? TriggerFunctions.reason(for: error) {
                reason
            } else if error.isCorruption {
                .notADatabase
            } else if error.isBusy {
                .timeout
            } else if error.isMoved {
                .fileChanged
            } else if error.isReadOnly {
                .readOnly
            } else if error.isUniqueness || error.isKeyCollision {
                .uniquenessViolated
            } else if error.isInterruption {
                .cancelled
            } else {
                switch error.code {
                case 13: .diskFull
                case 14: .cannotOpen
                default: .operationFailed
                }
            }
        self.init(reason, url: url, sqlite: error)
    }

    /// The store error for a generation that cannot be pinned or read.
    init(_ error: PinError, url: URL?) {
        switch error {
        case .tooMany(let limit): self.init(.tooManyGenerations(limit: limit), url: url)
        case .ended: self.init(.generationUnavailable, url: url)
        }
    }
}

extension FileFailure {
    var reason: StoreError.Reason {
        code == ENOSPC || code == EDQUOT
            ? .diskFull
            : .unwritableExternalData(file: path, problem: String(cString: strerror(code)))
    }
}
