/// What a migration does next. It follows from the store alone, and the store says afterwards that
/// it is done.
enum MigrationTask {
    case step(MigrationStep)
    case code(MigrationCode)
}
