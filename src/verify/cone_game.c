/* A matrix game: the weights of columns that make the largest row sum smallest (von Neumann 1928), by the simplex method
 * for linear programs (Dantzig 1951).
 *
 * With all numbers in [1, 2], the weights mu are x / sum x for the x >= 0 that makes sum x largest under
 * sum_i x_i value[i][j] <= 1 for all rows j; the dual variables are the weights of the rows. A tableau of doubles is
 * enough: the caller uses the weights only if they are non-negative, and finds out by itself what they prove. */
#include "body.h"

#include <string.h>

#define MAX_PIVOTS 64
/* A reduced cost that is not above this gains nothing that doubles can show. */
#define LEAST_GAIN 0x1p-48

typedef struct {
    int rows, columns;                                                   /* of the game */
    double cell[AP_CONE_MAX_DIM + 1][AP_GAME_MAX + AP_CONE_MAX_DIM + 1]; /* the last row: costs; the last column: x */
    int basis[AP_CONE_MAX_DIM];
} game_tableau;

/* Brings all numbers to [1, 2]; the best weights stay the best. */
static void fill_tableau(game_tableau *t, double value[][AP_CONE_MAX_DIM])
{
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < t->columns; i++) {
        for (int j = 0; j < t->rows; j++) {
            least = ap_min(least, value[i][j]);
            most = ap_max(most, value[i][j]);
        }
    }
    const double scale = most > least ? 1.0 / (most - least) : 0.0;
    const int last = t->columns + t->rows;
    memset(t->cell, 0, sizeof t->cell);
    for (int j = 0; j < t->rows; j++) {
        for (int i = 0; i < t->columns; i++) {
            t->cell[j][i] = 1.0 + scale * (value[i][j] - least);
        }
        t->cell[j][t->columns + j] = 1.0;
        t->cell[j][last] = 1.0;
        t->basis[j] = t->columns + j;
    }
    for (int i = 0; i < t->columns; i++) {
        t->cell[t->rows][i] = 1.0;
    }
}

/* The column with the largest gain, and the row that limits it. False: the weights are the best. */
static bool choose_pivot(const game_tableau *t, int *row, int *column)
{
    const int last = t->columns + t->rows;
    double most = LEAST_GAIN, least = INFINITY;
    *column = -1;
    *row = -1;
    for (int i = 0; i < last; i++) {
        if (t->cell[t->rows][i] > most) {
            most = t->cell[t->rows][i];
            *column = i;
        }
    }
    for (int j = 0; j < t->rows && *column >= 0; j++) {
        const double up = t->cell[j][*column];
        if (up > LEAST_GAIN && t->cell[j][last] < least * up) {
            least = t->cell[j][last] / up;
            *row = j;
        }
    }
    return *row >= 0;
}

static void pivot_on(game_tableau *t, int row, int column)
{
    const int last = t->columns + t->rows;
    const double inverse = 1.0 / t->cell[row][column];
    for (int i = 0; i <= last; i++) {
        t->cell[row][i] *= inverse;
    }
    for (int j = 0; j <= t->rows; j++) {
        const double factor = t->cell[j][column];
        for (int i = 0; i <= last && j != row; i++) {
            t->cell[j][i] -= factor * t->cell[row][i];
        }
    }
    t->basis[row] = column;
}

/* Makes weights non-negative and their sum 1; equal ones if all are 0. */
static void normalise_weights(int count, double *weight)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        weight[i] = weight[i] > 0.0 ? weight[i] : 0.0;
        sum += weight[i];
    }
    for (int i = 0; i < count; i++) {
        weight[i] = sum > 0.0 && isfinite(sum) ? weight[i] / sum : 1.0 / count;
    }
}

void ap_cone_game(int rows, int columns, double value[][AP_CONE_MAX_DIM], double *mu, double *alpha)
{
    game_tableau t = {.rows = rows, .columns = columns};
    int row, column;
    fill_tableau(&t, value);
    for (int step = 0; step < MAX_PIVOTS && choose_pivot(&t, &row, &column); step++) {
        pivot_on(&t, row, column);
    }
    memset(mu, 0, (size_t)columns * sizeof *mu);
    for (int j = 0; j < rows; j++) {
        if (t.basis[j] < columns) {
            mu[t.basis[j]] = t.cell[j][columns + rows];
        }
        alpha[j] = -t.cell[rows][columns + j];
    }
    normalise_weights(columns, mu);
    normalise_weights(rows, alpha);
}
